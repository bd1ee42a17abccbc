/**
 * The options that name a bucket of a service, for commands that use the HTTP API.
 */
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { variables } from "../server/config/RemoteVariables.ts"
import { UsageError } from "./Failure.ts"
import type { RemoteBucket } from "./remote/RemoteBucket.ts"

export const flags = {
  url: Flag.String("url").pipe(
    Flag.withDescription(`URL of the service, or ${variables.url}`),
    Flag.withFallbackConfig(Config.String(variables.url)),
    Flag.withDefault("http://127.0.0.1:8080")
  ),
  key: Flag.Redacted("key").pipe(
    Flag.withDescription(
      `API key, or ${variables.key}. Prefer the variable: other users of the machine can see options`
    ),
    Flag.withFallbackConfig(Config.Redacted(variables.key))
  ),
  tenant: Flag.String("tenant").pipe(
    Flag.withDescription(`Id of the tenant, or ${variables.tenant}`),
    Flag.withFallbackConfig(Config.String(variables.tenant))
  ),
  bucket: Flag.String("bucket").pipe(
    Flag.withDescription(`Id of the bucket, or ${variables.bucket}`),
    Flag.withFallbackConfig(Config.String(variables.bucket))
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
