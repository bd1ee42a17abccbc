/**
 * Lists blobs by walking their directories, as far as the consumer pulls.
 */
import * as Ids from "@holdfast/core/Ids"
import type { BlobEntry } from "@holdfast/core/storage/BlobStore"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as FsCall from "./FsCall.ts"
import * as Layout from "../Layout.ts"

/** The names of a directory that are in memory at a time. */
const batchNames = 256

/** The number of concurrent `lstat` calls: as many as Node's thread pool has threads. */
const concurrency = 4

const shardName = /^[0-9a-f]{2}$/

const nextNames = (directory: Fs.Dir): Effect.Effect<ReadonlyArray<string>, FsCall.ErrnoError> =>
  FsCall.call<ReadonlyArray<string>>((done) => {
    const names: Array<string> = []
    const step = (error: NodeJS.ErrnoException | null, entry: Fs.Dirent | null): void => {
      if (error || entry === null) return done(error, names)
      names.push(entry.name)
      if (names.length < batchNames) directory.read(step)
      else done(null, names)
    }
    directory.read(step)
  })

/** Streams the names in a directory, in batches; an empty stream for a directory that does not exist. */
const namesIn = (path: string): Stream.Stream<string, FsCall.ErrnoError> =>
  Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(
        FsCall.ignoreCode("ENOENT")(FsCall.call<Fs.Dir>((done) => Fs.opendir(path, { bufferSize: batchNames }, done))),
        (directory) =>
          directory === undefined
            ? Effect.void
            : FsCall.ignoreFailure(FsCall.call<void>((done) => directory.close(done)))
      ),
      (directory) =>
        directory === undefined
          ? Stream.empty
          : Stream.fromPull(
              Effect.succeed(Effect.filterOrElse(nextNames(directory), Arr.isReadonlyArrayNonEmpty, () => Cause.done()))
            )
    )
  )

/** Whether a key that begins with `part` can begin with `prefix`. */
const canMatch = (part: string, prefix: string): boolean => part.startsWith(prefix) || prefix.startsWith(part)

/**
 * Streams the blobs whose keys begin with the prefix. Ignores other files, such as `lost+found`. A blob that is removed
 * during the walk may be listed or not.
 */
export const make = (layout: Layout.Layout, prefix: string): Stream.Stream<BlobEntry, FsCall.ErrnoError> => {
  const wanted = prefix.split("/")

  /** Streams the subdirectories of one kind that match the prefix. Does not read the directory when the prefix has the name. */
  const subdirectories = (kind: Ids.Kind, parent: string, level: number): Stream.Stream<string, FsCall.ErrnoError> => {
    const name = wanted[level]
    const names =
      name !== undefined && level < wanted.length - 1 ? Stream.make(name) : namesIn(Path.join(layout.blobs, parent))
    return names.pipe(
      Stream.filter((name) => Ids.is(kind, name)),
      Stream.map((name) => Path.join(parent, name)),
      Stream.filter((path) => canMatch(`${path}/`, prefix))
    )
  }

  const entry = (bucket: string, shard: string, blobId: string) =>
    FsCall.call<Fs.Stats>((done) => Fs.lstat(`${layout.blobs}/${bucket}/${shard}/${blobId}`, done)).pipe(
      Effect.map((stats) => (stats.isFile() ? { key: `${bucket}/${blobId}`, size: stats.size } : undefined)),
      // The file was removed after its name was read.
      FsCall.ignoreCode("ENOENT")
    )

  const blobs = (bucket: string, shard: string): Stream.Stream<BlobEntry, FsCall.ErrnoError> =>
    namesIn(`${layout.blobs}/${bucket}/${shard}`).pipe(
      Stream.filter(
        (blobId) =>
          Ids.is("blb", blobId) && Layout.shardOf(blobId) === shard && `${bucket}/${blobId}`.startsWith(prefix)
      ),
      Stream.mapArrayEffect((names) => Effect.forEach(names, (name) => entry(bucket, shard, name), { concurrency })),
      Stream.filter((found) => found !== undefined)
    )

  // A missing directory of a tenant means that it has no blobs. A missing root is an error, as when its disk was unmounted.
  const root = Effect.as(
    FsCall.call<Fs.Stats>((done) => Fs.stat(layout.blobs, done)),
    subdirectories("ten", "", 0)
  )
  return Stream.unwrap(root).pipe(
    Stream.flatMap((tenant) => subdirectories("bkt", tenant, 1)),
    Stream.flatMap((bucket) =>
      namesIn(`${layout.blobs}/${bucket}`).pipe(
        Stream.filter((name) => shardName.test(name)),
        Stream.flatMap((name) => blobs(bucket, name))
      )
    )
  )
}
