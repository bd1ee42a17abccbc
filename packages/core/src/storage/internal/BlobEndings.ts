/**
 * Lets the ids of blobs that are staged at about the same time end with the same two digits, which a local disk takes as their
 * directory: uploads that run at the same time then share the sync of their directory, and so do the removals of their blobs. The
 * digits are random, so that no directory grows larger than the others in the long run.
 */
import * as DateTime from "effect/DateTime"

export interface BlobEndings {
  /** Gives a fresh id the current ending. */
  readonly apply: (blobId: string, now: DateTime.Utc) => string
}

/** The digits that are the same: `Layout.shardOf` of `@holdfast/fs`. */
const digits = 2

/** For how long, in milliseconds: longer than an upload waits for syncs, short enough that a second of uploads fills many directories. */
const maxAge = 50

export const make = (): BlobEndings => {
  let ending = ""
  let beganAt = -Infinity
  return {
    apply: (blobId, now) => {
      const at = DateTime.toEpochMillis(now)
      if (Math.abs(at - beganAt) >= maxAge) {
        ending = blobId.slice(-digits)
        beganAt = at
      }
      return blobId.slice(0, -digits) + ending
    }
  }
}
