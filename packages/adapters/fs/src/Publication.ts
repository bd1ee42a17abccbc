/**
 * Giving a finished upload its name.
 */
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import type * as Directories from "./Directories.ts"
import * as Durable from "./Durable.ts"
import * as FsCall from "./FsCall.ts"
import type * as Layout from "./Layout.ts"

const exists = (path: string): Effect.Effect<boolean, FsCall.ErrnoError> =>
  FsCall.call<true>((done) => Fs.access(path, (error) => done(error, true))).pipe(
    FsCall.ignoreCode("ENOENT"),
    Effect.map((found) => found === true)
  )

/**
 * Renames a file, which must be durable, and makes its new name durable.
 *
 * Until that has succeeded a crash may undo it, so a failure and an interruption undo it too. What they cannot bring
 * back is a blob that stood there before: then the new one stays, as a whole, rather than none at all.
 *
 * `proceed` ends where the upload was interrupted meanwhile; the rest must be uninterruptible.
 */
export const publish = (
  layout: Layout.Layout,
  directories: Directories.Directories,
  from: string,
  to: Layout.BlobPath,
  proceed: Effect.Effect<void>
): Effect.Effect<void, FsCall.ErrnoError> => {
  const rename = Effect.andThen(
    directories.ensure(to.parent),
    FsCall.call<void>((done) => Fs.rename(from, to.path, done))
  )
  // Somebody removed the directory since it was made.
  const anew = Effect.suspend(() => {
    directories.forget(to.parent)
    return rename
  })
  return Effect.gen(function* () {
    const replaces = yield* exists(to.path)
    yield* proceed
    yield* Effect.catchIf(
      rename,
      (error) => error.code === "ENOENT",
      () => anew
    )
    yield* Durable.syncDirectory(`${layout.blobs}/${to.parent}`).pipe(
      Effect.andThen(proceed),
      Effect.onError(() => (replaces ? Effect.void : FsCall.ignoreFailure(FsCall.unlink(to.path))))
    )
  })
}
