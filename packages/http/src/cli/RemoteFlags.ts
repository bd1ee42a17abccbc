/**
 * The options that name a bucket of a service, for commands that use the HTTP API.
 */
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { UsageError } from "./Failure.ts"
import type { RemoteBucket } from "./remote/RemoteBucket.ts"

export const flags = {
  url: Flag.String("url").pipe(
    Flag.withDescription("URL of the service, or HOLDFAST_URL"),
    Flag.withFallbackConfig(Config.String("HOLDFAST_URL")),
    Flag.withDefault("http://127.0.0.1:8080")
  ),
  key: Flag.Redacted("key").pipe(
    Flag.withDescription("API key, or HOLDFAST_KEY. Prefer the variable: other users of the machine can see options"),
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

interface ParsedFlags {
  readonly url: string
  readonly key: Redacted.Redacted
  readonly tenant: string
  readonly bucket: string
}

/** Returns the bucket that the parsed flags name. */
export const toRemoteBucket = ({ bucket, key, tenant, url }: ParsedFlags): Effect.Effect<RemoteBucket, UsageError> => {
  const parsed = URL.parse(url)
  return parsed !== null && /^https?:$/.test(parsed.protocol)
    ? Effect.succeed({ url: parsed, key, tenantId: tenant, bucketId: bucket })
    : Effect.fail(new UsageError({ message: `--url must be an http or https URL, not ${JSON.stringify(url)}.` }))
}
