/**
 * Workspaces of conversions on a local disk.
 *
 * Each is a directory that carries the id of its process in its name. What a process left behind that was killed is
 * removed by the next one: the parent directory must be used by processes of one machine alone.
 */
import {
  ConversionWorkspace,
  type Workspace,
  WorkspaceError
} from "@holdfast/core/conversions/worker/ConversionWorkspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import process from "node:process"
import * as Download from "./Download.ts"
import * as FsCall from "./FsCall.ts"
import { writeFile } from "./WorkspaceFile.ts"

export interface Options {
  /**
   * Holds the workspaces; made when it is missing. Best on the disk of the blob store, where a content is a link and no
   * copy; with another store it needs room for each content that is converted, and its result.
   */
  readonly directory: string
}

/** Tells this process from an earlier one of the same id, as in a container, where it is mostly 1. */
const instance = randomBytes(6).toString("hex")

const full = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

const toWorkspaceError = (operation: string) => (error: FsCall.ErrnoError) =>
  new WorkspaceError({ reason: full.has(error.code) ? "StorageFull" : "Internal", operation, cause: error.cause })

const makeDirectory = (path: string) =>
  FsCall.call<void>((done) => Fs.mkdir(path, { recursive: true, mode: 0o700 }, (error) => done(error, undefined)))

const removeTree = (path: string) =>
  FsCall.call<void>((done) =>
    Fs.rm(path, { recursive: true, force: true, maxRetries: 3 }, (error) => done(error, undefined))
  )

/** A process that may not be asked is another user's, and so alive. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return FsCall.errno(cause instanceof Error ? cause : new Error(String(cause))).code !== "ESRCH"
  }
}

/** Removes the workspaces of processes that are gone. */
const clean = Effect.fnUntraced(function* (directory: string) {
  const names = yield* FsCall.call<ReadonlyArray<string>>((done) => Fs.readdir(directory, done))
  const stale = names.filter((name) => {
    const [, pid, maker] = /^conversion-(\d+)-([0-9a-f]{12})-/.exec(name) ?? []
    if (pid === undefined) return false
    return Number(pid) === process.pid ? maker !== instance : !isAlive(Number(pid))
  })
  yield* Effect.forEach(stale, (name) => removeTree(Path.join(directory, name)), { discard: true })
})

/** Where a link cannot be: another device, or a file system without them. */
const unlinkable = new Set(["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"])

/** A link keeps the bytes when the blob is removed; where there can be none, a copy that shares them if it may. */
const linkOrCopy = (from: string, to: string) =>
  Effect.catchIf(
    FsCall.call<void>((done) => Fs.link(from, to, (error) => done(error, undefined))),
    (error) => unlinkable.has(error.code),
    () =>
      FsCall.call<void>((done) =>
        Fs.copyFile(from, to, Fs.constants.COPYFILE_FICLONE, (error) => done(error, undefined))
      )
  )

const workspaceAt = (root: string): Workspace => ({
  input: Path.join(root, "content"),
  output: Path.join(root, "output"),
  source: Path.join(root, "source"),
  addFile: Effect.fnUntraced(function* ({ content, localFile, path }) {
    yield* Effect.mapError(makeDirectory(Path.dirname(path)), toWorkspaceError("addFile"))
    if (localFile !== undefined) {
      // A file that is gone by now may still be read through the store, which tells what became of it.
      const isAdded = yield* FsCall.ignoreCode("ENOENT")(Effect.as(linkOrCopy(localFile, path), true)).pipe(
        Effect.mapError(toWorkspaceError("addFile"))
      )
      if (isAdded === true) return
    }
    yield* writeFile(path, content, toWorkspaceError("addFile"))
  }),
  read: (name) => Stream.mapError(Download.make(Path.join(root, "output", name)), toWorkspaceError("read"))
})

const makeIn = (directory: string): Effect.Effect<Workspace, WorkspaceError, Scope.Scope> =>
  Effect.gen(function* () {
    const root = yield* Effect.acquireRelease(
      FsCall.call<string>((done) => Fs.mkdtemp(Path.join(directory, `conversion-${process.pid}-${instance}-`), done)),
      (path) => FsCall.ignoreFailure(removeTree(path))
    )
    const workspace = workspaceAt(root)
    yield* Effect.forEach([workspace.output, workspace.source], makeDirectory, { discard: true })
    return workspace
  }).pipe(Effect.mapError(toWorkspaceError("make")))

/** Workspaces in a directory. */
export const layer = ({ directory }: Options): Layer.Layer<ConversionWorkspace, WorkspaceError> =>
  Layer.effect(
    ConversionWorkspace,
    Effect.gen(function* () {
      const absolute = Path.resolve(directory)
      yield* makeDirectory(absolute)
      yield* clean(absolute)
      return ConversionWorkspace.of({ make: makeIn(absolute) })
    }).pipe(Effect.mapError(toWorkspaceError("open")))
  )
