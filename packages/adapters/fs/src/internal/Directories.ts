/**
 * Creates the directories of blobs when they are first needed, and remembers them, so that most uploads need no system call
 * for their directory.
 *
 * Empty directories are not removed. The removal would race with uploads, and the next upload into such a directory would
 * need two more syncs.
 */
import * as Effect from "effect/Effect"
import * as Path from "node:path"
import type { DirectoryOwner } from "../DirectoryOwner.ts"
import * as Durable from "./Durable.ts"
import type * as FsCall from "./FsCall.ts"

export interface Directories {
  /** Creates a directory (relative to the root) and its parents, durably. */
  readonly ensure: (relative: string) => Effect.Effect<void, FsCall.ErrnoError>
  /** Forgets a directory and its parents, so that `ensure` creates them again. */
  readonly forget: (relative: string) => void
}

/** The most directories that are remembered: about 4 MB of names. Without a bound there would be 256 for each bucket. */
const capacity = 16_384

/** The root itself may be missing; its parent must exist. `owner` gets the directories. */
export const make = (root: string, owner: DirectoryOwner): Directories => {
  // The directories whose names are durable, the oldest first. "." is the root.
  const known = new Set<string>()

  const create = (relative: string): Effect.Effect<void, FsCall.ErrnoError> =>
    (relative === "." ? Effect.void : ensure(Path.dirname(relative))).pipe(
      Effect.andThen(Durable.makeDirectory(Path.join(root, relative), owner)),
      Effect.andThen(
        Effect.sync(() => {
          known.add(relative)
          if (known.size <= capacity) return
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
