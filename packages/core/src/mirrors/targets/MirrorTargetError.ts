/**
 * The one error of the MirrorTarget port.
 */
import * as Data from "effect/Data"

/**
 * - `NotFound`: the target's bucket, or the object, is missing.
 * - `Denied`: the credentials are wrong, expired, or do not permit the operation.
 * - `Refused`: the address is one that this deployment does not connect to.
 * - `Unavailable`: the target does not answer, or asks to come again later.
 * - `Full`: no room is left there, or a quota is reached.
 * - `Invalid`: the target cannot hold this object, whatever is done: its name, its size or its description.
 * - `Damaged`: the bytes that arrived are not those that were sent.
 * - `Internal`: anything else.
 */
export type Reason = "NotFound" | "Denied" | "Refused" | "Unavailable" | "Full" | "Invalid" | "Damaged" | "Internal"

export class MirrorTargetError extends Data.TaggedError("MirrorTargetError")<{
  readonly reason: Reason
  /** The port's method that failed. */
  readonly operation: string
  /** The target's own words, fit for whoever set the mirror up: without keys, addresses of this deployment and paths. */
  readonly detail: string
  /** Whether the target as a whole was asked since, and works. */
  readonly targetWorks?: boolean
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.detail
  }

  /** Whether it is about one object alone, so that others of the same mirror may succeed. */
  get isOfObject(): boolean {
    return this.targetWorks === true || this.reason === "Invalid" || this.reason === "Damaged"
  }
}
