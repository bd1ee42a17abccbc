/**
 * The limit on headers of one file, which the quota of the tenant sets below that of all files (`mostHeaders`).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { QuotaExceeded } from "../../Errors.ts"
import type { MetadataError } from "../../MetadataError.ts"
import { QuotaOf } from "../../quotas/CurrentQuota.ts"

/** Checks that a file may have `count` headers when it has `former` ones. Fewer, or as many, are always permitted. */
export type Check = (count: number, former: number) => Result.Result<void, QuotaExceeded>

/** Makes the function that returns the check for the files of a tenant. */
export const make: Effect.Effect<(tenantId: string) => Effect.Effect<Check, MetadataError>> = Effect.map(
  QuotaOf,
  (quotaOf) => (tenantId) =>
    Effect.map(
      quotaOf(tenantId),
      ({ headersPerFile: maximum }): Check =>
        (count, former) =>
          maximum === null || count <= maximum || count <= former
            ? Result.void
            : Result.fail(
                new QuotaExceeded({ quota: { owner: "tenant", limit: "headersPerFile", maximum, use: former } })
              )
    )
)

/** Makes the function that checks the headers of a new file. A file without headers takes no look-up. */
export const makeForNew = Effect.map(
  make,
  (checkOf) =>
    (tenantId: string, headers: ReadonlyArray<unknown>): Effect.Effect<void, QuotaExceeded | MetadataError> =>
      headers.length === 0
        ? Effect.void
        : Effect.flatMap(checkOf(tenantId), (check) => Effect.fromResult(check(headers.length, 0)))
)
