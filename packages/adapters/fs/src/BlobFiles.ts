/**
 * Asking for blobs and removing them, which needs no lock.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import type { BlobEntry, BlobInfo } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Durable from "./Durable.ts"
import * as FsCall from "./FsCall.ts"
import * as FsErrors from "./FsErrors.ts"
import * as Layout from "./Layout.ts"
import * as Listing from "./Listing.ts"

/** Where the blob of a key stands; `Internal` for a text that is no key. */
export const locate = (
  layout: Layout.Layout,
  operation: string,
  key: string
): Effect.Effect<Layout.BlobPath, BlobError.BlobError> => {
  const place = Layout.locate(layout, key)
  return place === undefined ? Effect.fail(FsErrors.invalidKey(operation)) : Effect.succeed(place)
}

/** As the port's `stat`. */
export const stat = (layout: Layout.Layout, key: string): Effect.Effect<BlobInfo, BlobError.BlobError> =>
  Effect.flatMap(locate(layout, "stat", key), ({ path }) =>
    FsCall.call<Fs.Stats>((done) => Fs.stat(path, done)).pipe(
      Effect.mapBoth({ onFailure: FsErrors.fromErrno("stat"), onSuccess: ({ size }) => ({ size }) })
    )
  )

/**
 * As the port's `remove`, durably. The directory is synced also when nothing was there: who removed it may have died
 * before it came to that.
 */
export const remove = (layout: Layout.Layout, key: string): Effect.Effect<void, BlobError.BlobError> =>
  Effect.flatMap(locate(layout, "remove", key), ({ parent, path }) =>
    FsCall.unlink(path).pipe(
      Effect.andThen(FsCall.ignoreCode("ENOENT")(Durable.syncDirectory(`${layout.blobs}/${parent}`))),
      Effect.mapError(FsErrors.fromErrno("remove"))
    )
  )

/** As the port's `list`. */
export const list = (layout: Layout.Layout, prefix: string): Stream.Stream<BlobEntry, BlobError.BlobError> =>
  Stream.mapError(Listing.make(layout, prefix), FsErrors.fromErrnoOfStore("list"))
