/**
 * Decides when a new token expires.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Identity } from "../../access/Access.ts"
import { InvalidRequest } from "../../Errors.ts"
import type { Settings } from "../../Settings.ts"

const refuse = (detail: string) => Effect.fail(InvalidRequest.at("/expiresAt", detail))

const earliest = (times: ReadonlyArray<DateTime.Utc | null>): DateTime.Utc | null =>
  times.reduce((first, time) => (first === null || (time !== null && DateTime.isLessThan(time, first)) ? time : first))

/**
 * Returns the expiry of a new token: the requested time, or the latest permitted one when none is requested. Null means that
 * the token never expires. Fails with `InvalidRequest` at `/expiresAt`.
 *
 * A token that expires never creates one that lives longer: otherwise the holder of a key could prolong it without end. Without
 * a request, the deployment's lifetime applies even where eternal tokens are allowed.
 */
export const decide = (input: {
  readonly requested: DateTime.Utc | null | undefined
  readonly now: DateTime.Utc
  readonly settings: Settings
  readonly identity: Identity
}): Effect.Effect<DateTime.Utc | null, InvalidRequest> => {
  const { identity, now, requested, settings } = input
  const presented = identity === "system" || identity.credential === null ? null : identity.credential.expiresAt
  const lifetimeEnd = DateTime.addDuration(now, settings.tokenLifetime)
  if (requested === undefined) return Effect.succeed(earliest([presented, lifetimeEnd]))
  if (requested === null && !settings.allowEternalTokens) {
    return refuse("must be a time: this deployment does not allow tokens that never expire")
  }
  if (requested !== null && !DateTime.isGreaterThan(requested, now)) return refuse("must be in the future")
  if (presented !== null && (requested === null || DateTime.isGreaterThan(requested, presented))) {
    return refuse(`must be at most ${DateTime.formatIso(presented)}, when the token that creates it expires`)
  }
  return requested !== null && !settings.allowEternalTokens && DateTime.isGreaterThan(requested, lifetimeEnd)
    ? refuse(`must be at most ${DateTime.formatIso(lifetimeEnd)}, the longest lifetime that this deployment allows`)
    : Effect.succeed(requested)
}
