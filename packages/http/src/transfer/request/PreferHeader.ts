/**
 * Parses `Prefer: wait=N` (RFC 7240, section 4.3): how long a client is willing to wait for a result.
 */
import * as Duration from "effect/Duration"

/** Seconds. A longer wait is shortened to this. */
export const maxWait = 60

export interface WaitPreference {
  readonly duration: Duration.Duration
  /** Value of the response header `Preference-Applied`. */
  readonly applied: string
}

const pattern = /^[ \t]*wait[ \t]*=[ \t]*(?:(\d{1,9})|"(\d{1,9})")[ \t]*(?:;|$)/i

/** Returns the first valid preference `wait` in a header; invalid ones are ignored (RFC 7240, section 2). */
export const parseWait = (header: string | undefined): WaitPreference | undefined => {
  for (const preference of header?.split(",") ?? []) {
    const [match, token, quoted] = pattern.exec(preference) ?? []
    if (match === undefined) continue
    const seconds = Math.min(Number(token ?? quoted), maxWait)
    return { duration: Duration.seconds(seconds), applied: `wait=${seconds}` }
  }
  return undefined
}
