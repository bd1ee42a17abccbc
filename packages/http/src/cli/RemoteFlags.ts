/**
 * Which bucket of which service, for commands that go over HTTP.
 */
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { UsageError } from "./Failure.ts"
import type { RemoteBucket } from "./remote/RemoteBucket.ts"

export const flags = {
  url: Flag.String("url").pipe(
    Flag.withDescription("Address of the service, or HOLDFAST_URL"),
    Flag.withFallbackConfig(Config.String("HOLDFAST_URL")),
    Flag.withDefault("http://127.0.0.1:8080")
  ),
  key: Flag.Redacted("key").pipe(
    Flag.withDescription("API key; better given as HOLDFAST_KEY, where other users of the machine do not see it"),
    Flag.withFallbackConfig(Config.Redacted("HOLDFAST_KEY"))
  ),
  tenant: Flag.String("tenant").pipe(
    Flag.withDescription("Id of the tenant, or HOLDFAST_TENANT"),
    Flag.withFallbackConfig(Config.String("HOLDFAST_TENANT"))
  ),
  bucket: Flag.String("bucket").pipe(
    Flag.withDescription("Id of the bucket, or HOLDFAST_BUCKET"),
    Flag.withFallbackConfig(Config.String("HOLDFAST_BUCKET"))
  )
}

interface Given {
  readonly url: string
  readonly key: Redacted.Redacted
  readonly tenant: string
  readonly bucket: string
}

/** The bucket that the flags name. */
export const toRemoteBucket = ({ bucket, key, tenant, url }: Given): Effect.Effect<RemoteBucket, UsageError> => {
  const parsed = URL.parse(url)
  return parsed !== null && /^https?:$/.test(parsed.protocol)
    ? Effect.succeed({ url: parsed, key, tenant, bucket })
    : Effect.fail(new UsageError({ message: `--url must be an http or https address, not ${JSON.stringify(url)}.` }))
}
