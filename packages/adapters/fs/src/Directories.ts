/**
 * The directories of blobs: made when first needed, and remembered, so that most uploads find theirs without a call.
 *
 * Directories that became empty stay. Removing them would race with uploads, and the next upload would pay for a new
 * one with two more syncs.
 */
import * as Effect from "effect/Effect"
import * as Path from "node:path"
import * as Durable from "./Durable.ts"
import type * as FsCall from "./FsCall.ts"

export interface Directories {
  /** Makes a directory (relative to the root) and those above it, durably. */
  readonly ensure: (relative: string) => Effect.Effect<void, FsCall.ErrnoError>
  /** No longer trusts that a directory, or any above it, is there. */
  readonly forget: (relative: string) => void
}

/** About 4 MB of names. Without a bound they would be as many as there are buckets, times 256. */
const bound = 16_384

/** `root` itself may be missing; the directory that holds it must be there. */
export const make = (root: string): Directories => {
  // Those whose entry is known to be durable, the oldest first; "." is the root.
  const known = new Set<string>()

  const create = (relative: string): Effect.Effect<void, FsCall.ErrnoError> =>
    (relative === "." ? Effect.void : ensure(Path.dirname(relative))).pipe(
      Effect.andThen(Durable.makeDirectory(Path.join(root, relative))),
      Effect.andThen(
        Effect.sync(() => {
          known.add(relative)
          if (known.size <= bound) return
          for (const oldest of known) {
            known.delete(oldest)
            break
          }
        })
      )
    )

  const ensure = (relative: string): Effect.Effect<void, FsCall.ErrnoError> =>
    Effect.suspend(() => (known.has(relative) ? Effect.void : create(relative)))

  const forget = (relative: string): void => {
    known.delete(relative)
    if (relative !== ".") forget(Path.dirname(relative))
  }

  return { ensure, forget }
}
