/**
 * Makes the names of files and directories durable. The `fsync` of a file does not include its name; that requires an `fsync`
 * of the directory that contains the name.
 */
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { DirectoryOwner } from "../DirectoryOwner.ts"
import * as FsCall from "./FsCall.ts"

/** Only the process's user can list the directory and open its files. */
export const directoryMode = 0o700

/** Only the process's user can read and write the file. */
export const fileMode = 0o600

/** Makes the names in a directory durable. */
export const syncDirectory = (path: string): Effect.Effect<void, FsCall.ErrnoError> =>
  FsCall.call<void>((done) => FsCall.syncDirectory(path, (error) => done(error)))

/**
 * Creates a directory for the owner of its data directory, durably. Syncs the parent of an existing directory, too: the process that
 * created it may have died before it synced.
 */
export const makeDirectory = (path: string, owner: DirectoryOwner): Effect.Effect<void, FsCall.ErrnoError> =>
  FsCall.call<void>((done) => Fs.mkdir(path, directoryMode, done)).pipe(
    Effect.andThen(FsCall.attempt(() => owner.givePath(path))),
    FsCall.ignoreCode("EEXIST"),
    Effect.andThen(syncDirectory(Path.dirname(path)))
  )

/**
 * Creates a directory and its missing parents, durably. An existing parent that this user may not read cannot be synced and
 * is skipped.
 */
export const makePath = Effect.fnUntraced(function* (path: string): Effect.fn.Return<void, FsCall.ErrnoError> {
  const first = yield* FsCall.call<string | undefined>((done) =>
    Fs.mkdir(path, { mode: directoryMode, recursive: true }, done)
  )
  const top = Path.dirname(first ?? path)
  for (let parent = Path.dirname(path); parent.length >= top.length; parent = Path.dirname(parent)) {
    yield* FsCall.ignoreCode("EACCES")(syncDirectory(parent))
    if (parent === Path.dirname(parent)) return
  }
})
