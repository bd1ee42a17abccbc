/**
 * Making directory entries outlive a crash of the machine: a file's own `fsync` does not cover its name, that takes an
 * `fsync` of the directory which holds the name.
 */
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as FsCall from "./FsCall.ts"

/** Nobody but the server's own user reads or lists. */
export const directoryMode = 0o700

/** Nobody but the server's own user reads. */
export const fileMode = 0o600

/**
 * Makes the entries of a directory durable. It is opened at once and not on another thread: whoever syncs a directory
 * has just used it, so that the kernel has its name at hand.
 */
export const syncDirectory = (path: string): Effect.Effect<void, FsCall.ErrnoError> =>
  FsCall.call<void>((done) => {
    FsCall.syncAndClose(Fs.openSync(path, Fs.constants.O_RDONLY | Fs.constants.O_DIRECTORY), done)
  })

/**
 * Makes one directory, durably. One that is there already is synced all the same: who made it may have died before it
 * came to that.
 */
export const makeDirectory = (path: string): Effect.Effect<void, FsCall.ErrnoError> =>
  FsCall.call<void>((done) => Fs.mkdir(path, directoryMode, done)).pipe(
    FsCall.ignoreCode("EEXIST"),
    Effect.andThen(syncDirectory(Path.dirname(path)))
  )

/**
 * Makes a directory and what is missing above it, durably. A parent that was there before and that this user may not
 * read cannot be synced; it is then left to whoever made the directory.
 */
export const makePath = (path: string): Effect.Effect<void, FsCall.ErrnoError> =>
  Effect.gen(function* () {
    const first = yield* FsCall.call<string | undefined>((done) =>
      Fs.mkdir(path, { mode: directoryMode, recursive: true }, done)
    )
    const top = Path.dirname(first ?? path)
    for (let parent = Path.dirname(path); parent.length >= top.length; parent = Path.dirname(parent)) {
      yield* FsCall.ignoreCode("EACCES")(syncDirectory(parent))
      if (parent === Path.dirname(parent)) return
    }
  })
