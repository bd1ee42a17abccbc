/**
 * The workspaces of conversions on a local disk.
 *
 * A workspace is a directory with the process id in its name. At its start, a process removes the workspaces of processes
 * that no longer run. Therefore only processes of one machine may use the parent directory.
 */
import {
  ConversionWorkspace,
  type Workspace,
  WorkspaceError
} from "@holdfast/core/conversions/worker/ConversionWorkspace"
import type { Source } from "@holdfast/core/packaging/Source"
import { concat } from "@holdfast/core/storage/ByteChunks"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import process from "node:process"
import * as DiskReserve from "./DiskReserve.ts"
import * as Download from "./internal/Download.ts"
import * as Durable from "./internal/Durable.ts"
import * as FsCall from "./internal/FsCall.ts"
import * as FsErrors from "./FsErrors.ts"
import { writeFile } from "./internal/WorkspaceFile.ts"

export interface Options {
  /**
   * The parent directory of the workspaces. It is created when it is missing. On the disk of an `FsBlobStore` it contains
   * links to the contents instead of copies; with another store it needs space for each content and for its result.
   */
  readonly directory: string
  /**
   * Whether the transcoder runs as another user. Then contents are copied, as a reflink if the file system supports that, so
   * that this user may read them; a link would have the permissions of the stored content. Default: false.
   */
  readonly forOtherUser?: boolean | undefined
  /** Bytes of the file system that conversions may not use; 2 % of it, at most 512 MiB, when absent. */
  readonly reserveBytes?: number | undefined
}

/** Milliseconds between two reads of the free space. ffmpeg may use as much of the reserve as it writes in this time. */
const watchInterval = 250

/** Distinguishes this process from an earlier one with the same id, as in a container, where the id is mostly 1. */
const instance = randomBytes(6).toString("hex")

const toWorkspaceError = (operation: string) => (error: FsCall.ErrnoError) =>
  new WorkspaceError({
    reason: FsErrors.isStorageFull(error.code) ? "StorageFull" : "Internal",
    operation,
    cause: error.cause
  })

const makeDirectory = (path: string) =>
  FsCall.call<void>((done) =>
    Fs.mkdir(path, { recursive: true, mode: Durable.directoryMode }, (error) => done(error, undefined))
  )

const removeTree = (path: string) =>
  FsCall.call<void>((done) =>
    Fs.rm(path, { recursive: true, force: true, maxRetries: 3 }, (error) => done(error, undefined))
  )

/** Whether a process runs. A process that may not be signalled belongs to another user, so it runs. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return FsCall.errno(FsCall.toError(cause)).code !== "ESRCH"
  }
}

/** Removes the workspaces of processes that no longer run. */
const clean = Effect.fnUntraced(function* (directory: string) {
  const names = yield* FsCall.call<ReadonlyArray<string>>((done) => Fs.readdir(directory, done))
  const stale = names.filter((name) => {
    const [, pid, maker] = /^conversion-(\d+)-([0-9a-f]{12})-/.exec(name) ?? []
    if (pid === undefined) return false
    return Number(pid) === process.pid ? maker !== instance : !isAlive(Number(pid))
  })
  yield* Effect.forEach(stale, (name) => removeTree(Path.join(directory, name)), { discard: true })
})

/** The errors of `link` between two devices and on a file system without links. */
const unlinkable = new Set(["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"])

const copyFile = (from: string, to: string, mode: number) =>
  FsCall.call<void>((done) => Fs.copyFile(from, to, mode, (error) => done(error, undefined)))

/** Copies a file, as a reflink if the file system supports that. Any other copy needs space for all bytes. */
const copy = (from: string, to: string, reserve: DiskReserve.DiskReserve) =>
  Effect.catchIf(
    copyFile(from, to, Fs.constants.COPYFILE_FICLONE_FORCE),
    (error) => error.code !== "ENOENT",
    () =>
      FsCall.call<Fs.Stats>((done) => Fs.stat(from, done)).pipe(
        Effect.flatMap(({ size }) => reserve.claim(size)),
        Effect.andThen(copyFile(from, to, 0))
      )
  )

/** Links a file, so that its bytes stay when the blob is removed. Copies it where a link is not possible. */
const linkOrCopy = (from: string, to: string, reserve: DiskReserve.DiskReserve) =>
  Effect.catchIf(
    FsCall.call<void>((done) => Fs.link(from, to, (error) => done(error, undefined))),
    (error) => unlinkable.has(error.code),
    () => copy(from, to, reserve)
  )

const setMode = (path: string, mode: number) =>
  FsCall.call<void>((done) => Fs.chmod(path, mode, (error) => done(error, undefined)))

/** Lets other users read a file, and pass the directories above it up to the root, which only this user may pass. */
const share = Effect.fnUntraced(function* (root: string, path: string) {
  yield* setMode(path, 0o644)
  for (let directory = Path.dirname(path); directory !== root; directory = Path.dirname(directory)) {
    yield* setMode(directory, 0o755)
  }
})

/** Makes the source of a file that does not change. */
const sourceOf = (path: string) =>
  Effect.map(
    FsCall.call<Fs.Stats>((done) => Fs.stat(path, done)),
    ({ size }): Source<WorkspaceError> => ({
      size,
      readRange: (range) =>
        Stream.runCollect(Download.make(path, { range, size })).pipe(
          Effect.map(concat),
          Effect.mapError(toWorkspaceError("read"))
        )
    })
  )

const workspaceAt = (root: string, forOtherUser: boolean, reserve: DiskReserve.DiskReserve): Workspace => ({
  input: Path.join(root, "content"),
  output: Path.join(root, "output"),
  source: Path.join(root, "source"),
  addFile: Effect.fnUntraced(function* ({ content, localFile, path }) {
    yield* Effect.mapError(makeDirectory(Path.dirname(path)), toWorkspaceError("addFile"))
    if (localFile !== undefined) {
      // If the file was removed, the stream of the store decides: it delivers the bytes or fails with the reason.
      const add = forOtherUser
        ? Effect.andThen(copy(localFile, path, reserve), share(root, path))
        : linkOrCopy(localFile, path, reserve)
      const isAdded = yield* FsCall.ignoreCode("ENOENT")(Effect.as(add, true)).pipe(
        Effect.mapError(toWorkspaceError("addFile"))
      )
      if (isAdded === true) return
    }
    yield* writeFile(path, content, reserve, toWorkspaceError("addFile"))
    if (forOtherUser) yield* Effect.mapError(share(root, path), toWorkspaceError("addFile"))
  }),
  watch: reserve.check.pipe(Effect.delay(watchInterval), Effect.forever, Effect.mapError(toWorkspaceError("watch"))),
  read: (name) => Stream.mapError(Download.make(Path.join(root, "output", name)), toWorkspaceError("read")),
  open: (name) => Effect.mapError(sourceOf(Path.join(root, "output", name)), toWorkspaceError("open"))
})

const makeIn = (
  directory: string,
  forOtherUser: boolean,
  reserve: DiskReserve.DiskReserve
): Effect.Effect<Workspace, WorkspaceError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* reserve.check
    const root = yield* Effect.acquireRelease(
      FsCall.call<string>((done) => Fs.mkdtemp(Path.join(directory, `conversion-${process.pid}-${instance}-`), done)),
      (path) => FsCall.ignoreFailure(removeTree(path))
    )
    const workspace = workspaceAt(root, forOtherUser, reserve)
    yield* Effect.forEach([workspace.output, workspace.source], makeDirectory, { discard: true })
    return workspace
  }).pipe(Effect.mapError(toWorkspaceError("make")))

/** The workspaces in a directory. */
export const layer = ({
  directory,
  forOtherUser = false,
  reserveBytes
}: Options): Layer.Layer<ConversionWorkspace, WorkspaceError> =>
  Layer.effect(
    ConversionWorkspace,
    Effect.gen(function* () {
      const absolute = Path.resolve(directory)
      yield* makeDirectory(absolute)
      yield* clean(absolute)
      const reserve = DiskReserve.make(absolute, reserveBytes)
      return ConversionWorkspace.of({ make: makeIn(absolute, forOtherUser, reserve) })
    }).pipe(Effect.mapError(toWorkspaceError("open")))
  )
