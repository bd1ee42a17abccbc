/**
 * A BlobStore on a local disk, for one process or for those of one service.
 *
 * `put` writes a content to `tmp` and syncs it, then renames it to its path and syncs the directory. Therefore, after a crash
 * of the process or the machine, a blob is there as a whole or not at all, and an acknowledged blob is there.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as WholeContents from "@holdfast/core/storage/WholeContents"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as BlobFiles from "./BlobFiles.ts"
import * as DirectCalls from "./internal/DirectCalls.ts"
import * as Directories from "./internal/Directories.ts"
import * as DirectorySyncs from "./internal/DirectorySyncs.ts"
import * as DirectoryLock from "./DirectoryLock.ts"
import * as DirectoryOwner from "./DirectoryOwner.ts"
import * as DiskReserve from "./DiskReserve.ts"
import * as Durable from "./internal/Durable.ts"
import * as FsCall from "./internal/FsCall.ts"
import * as FsErrors from "./FsErrors.ts"
import * as Layout from "./Layout.ts"
import * as Receipt from "./internal/Receipt.ts"
import * as Publication from "./internal/Publication.ts"
import * as WriteProbe from "./internal/WriteProbe.ts"
import * as Upload from "./internal/Upload.ts"

export interface Options {
  /** The data directory. It is created if it is missing. All of it must be on one file system. */
  readonly directory: string
  /**
   * Bytes of the file system that contents may not use: `put` and `check` fail with `StorageFull` when only they are free. 2 % of
   * the file system, at most 512 MiB, when absent.
   */
  readonly reserveBytes?: number | undefined
}

const countBytes = (chunks: ReadonlyArray<Uint8Array>): number =>
  chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)

/** The errors of a file system that has no hard links, or no further one of this file. */
const withoutLinks: ReadonlySet<string> = new Set(["EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

/** Removes the uploads that earlier processes left: those with this part in their names, or all of them. */
const clear = (tmp: string, writer?: string): Effect.Effect<void, FsCall.ErrnoError> =>
  FsCall.call<Array<string>>((done) => Fs.readdir(tmp, done)).pipe(
    Effect.flatMap((names) =>
      Effect.forEach(
        names.filter((name) => writer === undefined || name.includes(`.${writer}`)),
        (name) => FsCall.call<void>((done) => Fs.rm(`${tmp}/${name}`, { recursive: true, force: true }, done)),
        { discard: true }
      )
    )
  )

/**
 * Makes the methods of a store in a directory. Makes no system call. `writer` is a part of the names of incomplete uploads: no other
 * process that may write the same blob has it.
 */
const makeMethods = (layout: Layout.Layout, { reserveBytes }: Options, writer = ""): BlobStore.BlobStore["Service"] => {
  const owner = DirectoryOwner.make(layout.directory)
  const directories = Directories.make(layout.blobs, owner)
  const directCalls = DirectCalls.make({ maxMillis: 2, poolFactor: 20 })
  // On its own: a content that is not in memory takes longer to read, and says nothing about writes.
  const directReads = DirectCalls.make({ maxMillis: 2, poolFactor: 20 })
  const publisher = { layout, directories, directCalls, directorySyncs: DirectorySyncs.make() }
  const reserve = DiskReserve.make(layout.tmp, reserveBytes)
  const probe = WriteProbe.make(layout, reserve)
  let uploads = 0

  const put = <E, R>(
    key: string,
    content: Stream.Stream<Uint8Array, E, R>
  ): Effect.Effect<BlobStore.BlobReceipt, BlobError.BlobError | E, R> =>
    Effect.uninterruptibleMask((restore) => {
      const blobPath = Layout.locate(layout, key)
      if (blobPath === undefined) return Effect.fail(FsErrors.invalidKey("put"))
      const path = `${layout.tmp}/${blobPath.blobId}.${writer}${uploads++}`
      const file = { path, directCalls, owner }
      const bytes = WholeContents.bytesOf(content)
      const upload = bytes === undefined ? Upload.make(file) : Upload.ofBytes(file, bytes)
      const space = reserve.writer(Upload.bufferBytes)
      const arrived =
        bytes === undefined ? undefined : publisher.directorySyncs.announce(`${layout.blobs}/${blobPath.parent}`)
      const toBlobError = Effect.mapError(FsErrors.fromErrnoOfStore("put"))
      const write = (chunks: ReadonlyArray<Uint8Array>) =>
        toBlobError(Effect.flatMap(space.claim(countBytes(chunks)), () => upload.accept(chunks)))
      return restore(bytes === undefined ? Stream.runForEachArray(content, write) : write([bytes])).pipe(
        Effect.andThen(toBlobError(upload.finish)),
        // An interruption cannot stop a system call. `restore(Effect.void)` checks for one between the calls.
        Effect.tap(() =>
          toBlobError(
            Publication.publish(publisher, path, blobPath, { checkInterruption: restore(Effect.void), arrived })
          )
        ),
        Effect.onError(() => Effect.andThen(upload.discard, probe.expire)),
        Effect.onExit(() =>
          Effect.sync(() => {
            arrived?.()
            space.close()
          })
        )
      )
    })

  /** By a hard link, so that the bytes are read but not written: blobs never change, and the file stays until its last name is removed. */
  const link = (from: Layout.BlobPath, to: Layout.BlobPath): Effect.Effect<BlobStore.BlobReceipt, FsCall.ErrnoError> =>
    Effect.uninterruptibleMask((restore) => {
      const path = `${layout.tmp}/${to.blobId}.${writer}${uploads++}`
      return FsCall.call<void>((done) => Fs.link(from.path, path, done)).pipe(
        Effect.andThen(restore(Receipt.make(path))),
        Effect.tap(() => Publication.publish(publisher, path, to, { checkInterruption: restore(Effect.void) })),
        Effect.onError(() => FsCall.ignoreFailure(FsCall.unlink(path)))
      )
    })

  const copy = (from: string, to: string): Effect.Effect<BlobStore.BlobReceipt, BlobError.BlobError> => {
    const [source, target] = [Layout.locate(layout, from), Layout.locate(layout, to)]
    if (source === undefined || target === undefined) return Effect.fail(FsErrors.invalidKey("copy"))
    return link(source, target).pipe(
      Effect.mapError((error) => (withoutLinks.has(error.code) ? undefined : FsErrors.fromErrno("copy")(error))),
      Effect.catchIf(Predicate.isUndefined, () => put(to, BlobFiles.read(layout, from)))
    )
  }

  return BlobStore.BlobStore.of({
    put,
    copy,
    // Whether the whole device has failed is known only from a new check.
    read: (key, options) => Stream.tapError(BlobFiles.read(layout, key, options), () => probe.expire),
    open: (key, size) => {
      const opened = Effect.map(
        BlobFiles.open(layout, key, size, directReads),
        ({ readInto }): BlobStore.OpenedBlob => ({
          readInto: (offset, memory) => Effect.tapError(readInto(offset, memory), () => probe.expire)
        })
      )
      return Effect.tapError(opened, () => probe.expire)
    },
    stat: (key) => BlobFiles.stat(layout, key),
    remove: (key) => BlobFiles.remove(layout, key),
    removeMany: (keys) => BlobFiles.removeMany(layout, keys),
    list: (prefix) => BlobFiles.list(layout, prefix),
    localFile: (key) => Layout.locate(layout, key)?.path,
    check: probe.check,
    capabilities: { name: "fs", localFiles: true, shared: false }
  })
}

/** Creates the directories and removes what earlier processes left. */
const prepare = (layout: Layout.Layout, writer?: string): Effect.Effect<void, BlobError.BlobError> => {
  const owner = DirectoryOwner.make(layout.directory)
  return Directories.make(layout.blobs, owner)
    .ensure(".")
    .pipe(
      Effect.andThen(Durable.makeDirectory(layout.tmp, owner)),
      Effect.andThen(clear(layout.tmp, writer)),
      Effect.mapError(FsErrors.fromErrnoOfStore("open"))
    )
}

/**
 * Opens the store and locks its directory until the scope closes. Fails with a `DirectoryLockError` of reason `Held` when
 * another process has the directory open.
 */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<
  BlobStore.BlobStore["Service"],
  DirectoryLock.DirectoryLockError | BlobError.BlobError,
  Scope.Scope
> {
  const layout = Layout.make(options.directory)
  yield* DirectoryLock.acquire(layout.directory)
  // No other process can have an upload in progress: the directory is locked.
  yield* prepare(layout)
  return makeMethods(layout, options)
})

export const layer = (
  options: Options
): Layer.Layer<BlobStore.BlobStore, DirectoryLock.DirectoryLockError | BlobError.BlobError> =>
  Layer.effect(BlobStore.BlobStore, make(options))

export interface MemberOptions extends Options {
  /** The name of this process among those that use the store together. A process that replaces another one has its name. */
  readonly member: string
  /** Whether no other process uses the store yet. */
  readonly isFirst: boolean
}

/** The store for one of several processes that use it together. The process that starts them locks the directory. */
export const layerMember = ({
  isFirst,
  member,
  ...options
}: MemberOptions): Layer.Layer<BlobStore.BlobStore, BlobError.BlobError> => {
  const layout = Layout.make(options.directory)
  const writer = `${member}.`
  return Layer.effect(
    BlobStore.BlobStore,
    Effect.as(prepare(layout, isFirst ? undefined : writer), makeMethods(layout, options, writer))
  )
}

/**
 * The store without its lock, for the commands of operators beside a running service: checks, backups and repairs. The caller
 * guarantees that it puts only blobs that have a READY row, and removes only blobs that have none. A service that starts removes what
 * `put` has not completed, so that the `put` fails.
 */
export const layerUnlocked = (options: Options): Layer.Layer<BlobStore.BlobStore> =>
  Layer.sync(BlobStore.BlobStore, () => makeMethods(Layout.make(options.directory), options, `${process.pid}.`))
