/**
 * The BlobStore methods that need no lock of the directory: `read`, `open`, `stat`, `remove`, `list`.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import type { BlobEntry, BlobInfo, OpenedBlob, ReadOptions } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import type { DirectCalls } from "./internal/DirectCalls.ts"
import * as Download from "./internal/Download.ts"
import * as Durable from "./internal/Durable.ts"
import * as FsCall from "./internal/FsCall.ts"
import * as FsErrors from "./FsErrors.ts"
import * as Layout from "./Layout.ts"
import * as Listing from "./internal/Listing.ts"

/** Returns the path of a key's blob. Fails with reason `Internal` for a text that is not a key. */
export const locate = (
  layout: Layout.Layout,
  operation: string,
  key: string
): Effect.Effect<Layout.BlobPath, BlobError.BlobError> => {
  const blobPath = Layout.locate(layout, key)
  return blobPath === undefined ? Effect.fail(FsErrors.invalidKey(operation)) : Effect.succeed(blobPath)
}

/** Implements the port's `read`. */
export const read = (
  layout: Layout.Layout,
  key: string,
  options?: ReadOptions
): Stream.Stream<Uint8Array, BlobError.BlobError> => {
  const blobPath = Layout.locate(layout, key)
  if (blobPath === undefined) return Stream.fail(FsErrors.invalidKey("read"))
  return Stream.mapError(Download.make(blobPath.path, options), FsErrors.fromErrnoOfRead)
}

/** Implements the port's `open`. */
export const open = (
  layout: Layout.Layout,
  key: string,
  size: number,
  directCalls: DirectCalls
): Effect.Effect<OpenedBlob, BlobError.BlobError, Scope.Scope> =>
  Effect.flatMap(locate(layout, "read", key), ({ path }) =>
    Effect.mapBoth(Download.openFile(path, size, directCalls), {
      onFailure: FsErrors.fromErrnoOfRead,
      onSuccess: (fill) => ({
        readInto: (offset, memory) => Effect.mapError(fill(offset, memory), FsErrors.fromErrnoOfRead)
      })
    })
  )

/** Implements the port's `stat`. */
export const stat = (layout: Layout.Layout, key: string): Effect.Effect<BlobInfo, BlobError.BlobError> =>
  Effect.flatMap(locate(layout, "stat", key), ({ path }) =>
    FsCall.call<Fs.Stats>((done) => Fs.stat(path, done)).pipe(
      Effect.mapBoth({ onFailure: FsErrors.fromErrno("stat"), onSuccess: ({ size }) => ({ size }) })
    )
  )

/**
 * Implements the port's `remove`, durably. Syncs the directory also when the file is missing: a process may have removed it
 * and died before it synced the directory.
 */
export const remove = (layout: Layout.Layout, key: string): Effect.Effect<void, BlobError.BlobError> =>
  Effect.flatMap(locate(layout, "remove", key), ({ parent, path }) =>
    FsCall.unlink(path).pipe(
      Effect.andThen(FsCall.ignoreCode("ENOENT")(Durable.syncDirectory(`${layout.blobs}/${parent}`))),
      Effect.mapError(FsErrors.fromErrno("remove"))
    )
  )

/** The number of directories in which blobs are removed at a time: as many as Node's thread pool has threads. */
const concurrency = 4

/** Implements the port's `removeMany`: syncs each directory once, since the sync takes most of the time of a removal. */
export const removeMany = (layout: Layout.Layout, keys: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>> => {
  const blobs = keys.flatMap((key) => {
    const blobPath = Layout.locate(layout, key)
    return blobPath === undefined ? [] : [{ ...blobPath, key }]
  })
  const removed = new Set<string>()
  return Effect.forEach(
    Map.groupBy(blobs, ({ parent }) => parent),
    ([parent, inDirectory]) =>
      Effect.gen(function* () {
        const unlinked: Array<string> = []
        for (const { key, path } of inDirectory) {
          if (Exit.isSuccess(yield* Effect.exit(FsCall.unlink(path)))) unlinked.push(key)
        }
        yield* FsCall.ignoreCode("ENOENT")(Durable.syncDirectory(`${layout.blobs}/${parent}`))
        for (const key of unlinked) removed.add(key)
      }).pipe(Effect.catch((error) => Effect.logWarning("blobs not removed", error.cause))),
    { concurrency, discard: true }
  ).pipe(Effect.as(removed))
}

/** Implements the port's `list`. */
export const list = (layout: Layout.Layout, prefix: string): Stream.Stream<BlobEntry, BlobError.BlobError> =>
  Stream.mapError(Listing.make(layout, prefix), FsErrors.fromErrnoOfStore("list"))
