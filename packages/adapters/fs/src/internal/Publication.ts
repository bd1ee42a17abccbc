/**
 * Moves a finished upload to the path of its blob.
 */
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import type * as DirectCalls from "./DirectCalls.ts"
import type * as Directories from "./Directories.ts"
import type * as DirectorySyncs from "./DirectorySyncs.ts"
import * as FsCall from "./FsCall.ts"
import type * as Layout from "../Layout.ts"

/**
 * Whether a file exists. Looks synchronously: the directory is mostly in the kernel's cache, where the look-up takes
 * microseconds. The way to a thread and back takes longer.
 */
const exists = (path: string): boolean => Fs.statSync(path, { throwIfNoEntry: false }) !== undefined

/** What publishing needs of the store. */
export interface Publisher {
  readonly layout: Layout.Layout
  readonly directories: Directories.Directories
  readonly directCalls: DirectCalls.DirectCalls
  readonly directorySyncs: DirectorySyncs.DirectorySyncs
}

/** Steps of the caller. */
export interface Steps {
  /** Is interrupted when the upload was interrupted meanwhile. The caller runs everything else uninterruptibly. */
  readonly checkInterruption: Effect.Effect<void>
  /** Ends the announcement of the upload (`DirectorySyncs.announce`). */
  readonly arrived?: (() => void) | undefined
}

/**
 * Renames a file, which must be durable, and makes its new name durable.
 *
 * Before the directory is synced, a crash may undo the rename; therefore a failure or an interruption undoes it, too. They
 * cannot restore a blob that the rename replaced. In that case the new blob stays, as a whole.
 */
export const publish = Effect.fnUntraced(function* (
  { directCalls, directories, directorySyncs, layout }: Publisher,
  from: string,
  to: Layout.BlobPath,
  { arrived, checkInterruption }: Steps
): Effect.fn.Return<void, FsCall.ErrnoError> {
  const rename = Effect.andThen(
    directories.ensure(to.parent),
    FsCall.short(
      directCalls,
      () => Fs.renameSync(from, to.path),
      () => FsCall.call<void>((done) => Fs.rename(from, to.path, done))
    )
  )
  // Another process removed the directory since it was created.
  const createAndRename = Effect.suspend(() => {
    directories.forget(to.parent)
    return rename
  })
  const replaces = yield* FsCall.attempt(() => exists(to.path))
  yield* checkInterruption
  yield* Effect.catchIf(
    rename,
    (error) => error.code === "ENOENT",
    () => createAndRename
  )
  yield* directorySyncs.sync(`${layout.blobs}/${to.parent}`, arrived).pipe(
    Effect.andThen(checkInterruption),
    Effect.onError(() => (replaces ? Effect.void : FsCall.ignoreFailure(FsCall.unlink(to.path))))
  )
})
