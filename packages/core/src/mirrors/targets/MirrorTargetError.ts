/**
 * The error of the MirrorTarget port.
 */
import * as Data from "effect/Data"
import * as Text from "../../Text.ts"

/**
 * - `NotFound`: the target's bucket, or the object, does not exist.
 * - `Denied`: the credentials are wrong, expired, or do not permit the operation.
 * - `Refused`: this deployment does not connect to the address.
 * - `Unavailable`: the target does not respond, or asks to retry later.
 * - `Full`: the target has no space left, or a quota is reached.
 * - `Invalid`: the target cannot hold this object because of its name, its size or its description. No retry helps.
 * - `Damaged`: the target received other bytes than were sent.
 * - `Loop`: the object came from the target, over mirrors.
 * - `Internal`: anything else.
 */
export type Reason =
  | "NotFound"
  | "Denied"
  | "Refused"
  | "Unavailable"
  | "Full"
  | "Invalid"
  | "Damaged"
  | "Loop"
  | "Internal"

/** The longest text of an error, in UTF-16 code units. */
const maxDetail = 300

interface Fields {
  readonly reason: Reason
  /** The method of the port that failed. */
  readonly operation: string
  /**
   * The response of the target, for the user who created the mirror: without keys, addresses of this deployment and paths. The error
   * keeps it as one line of at most 300 characters: it is stored, and a target may have sent any text.
   */
  readonly detail: string
  /** Whether a check of the target succeeded after the failure. */
  readonly targetWorks?: boolean
  readonly cause?: unknown
}

export class MirrorTargetError extends Data.TaggedError("MirrorTargetError")<Fields> {
  constructor(fields: Fields) {
    super({ ...fields, detail: Text.toLine(fields.detail, maxDetail) })
  }

  override get message(): string {
    return this.detail
  }

  /** Whether the failure concerns this object only. Other objects of the same mirror may succeed. */
  get isOfObject(): boolean {
    return this.targetWorks === true || this.reason === "Invalid" || this.reason === "Damaged"
  }
}
