/**
 * `Prefer: wait=N` (RFC 7240, section 4.3): how long a caller likes to wait for the end of what it asks for.
 */
import * as Duration from "effect/Duration"

/** Seconds; whoever prefers more waits as long. */
export const longestWait = 60

export interface Wait {
  readonly duration: Duration.Duration
  /** What `Preference-Applied` says. */
  readonly applied: string
}

const preference = /^[ \t]*wait[ \t]*=[ \t]*(?:(\d{1,9})|"(\d{1,9})")[ \t]*(?:;|$)/i

/** Of several preferences of one name the first counts; one that makes no sense is ignored (section 2). */
export const waitOf = (prefer: string | undefined): Wait | undefined => {
  for (const one of prefer?.split(",") ?? []) {
    const [match, token, quoted] = preference.exec(one) ?? []
    if (match === undefined) continue
    const seconds = Math.min(Number(token ?? quoted), longestWait)
    return { duration: Duration.seconds(seconds), applied: `wait=${seconds}` }
  }
  return undefined
}
