/**
 * A private directory for one run, which contains nothing but a link to the input. A file that refers to its neighbours by
 * relative paths finds none. Its name has the id of this process, so that a later process can remove it if this one is killed.
 */
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { tmpdir } from "node:os"
import process from "node:process"
import * as Confinement from "./Confinement.ts"

/** Has no extension, so that ffmpeg detects the format from the content alone. */
const inputName = "input"

/** Distinguishes this process from an earlier one with the same id, as in a container, where the id is mostly 1. */
const instance = randomBytes(6).toString("hex")

const prefix = `holdfast-ffmpeg-${process.pid}-${instance}-`

export interface ScratchDirectory {
  /** Absolute path. */
  readonly directory: string
  /** Name of the link in the directory. */
  readonly link: string
  /** FFmpeg's URL of the input. */
  readonly input: string
}

export interface Options {
  readonly operation: string
  /** Path of the input, a file or a directory. */
  readonly input: string
  readonly confinement: Confinement.Confinement
  /** The directory that contains the new one. Default: the system's. */
  readonly parent: string | undefined
}

/**
 * Makes the directory, readable only by the user as which the program runs, with a link to the input. It is removed when the
 * scope closes.
 */
export const make = ({
  confinement,
  input,
  operation,
  parent
}: Options): Effect.Effect<ScratchDirectory, TranscodeError.TranscodeError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* files.access(input, { readable: true })
    const directory = yield* files.makeTempDirectoryScoped({
      prefix,
      ...(parent === undefined ? {} : { directory: parent })
    })
    const path = `${directory}/${inputName}`
    yield* files.symlink(Confinement.inputPath(confinement, input), path)
    const { user } = confinement
    if (user !== undefined) yield* files.chown(directory, user.uid, user.gid)
    return { directory, link: inputName, input: `file:${path}` }
  }).pipe(Effect.mapError((cause) => new TranscodeError.TranscodeError({ operation, reason: "Internal", cause })))

/** Whether a process runs. A process that may not be signalled belongs to another user, so it runs. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return !(cause instanceof Error && "code" in cause && cause.code === "ESRCH")
  }
}

const hasNoProcess = (name: string): boolean => {
  const [, pid, maker] = /^holdfast-ffmpeg-(\d+)-([0-9a-f]{12})-/.exec(name) ?? []
  if (pid === undefined) return false
  return Number(pid) === process.pid ? maker !== instance : !isAlive(Number(pid))
}

/**
 * A directory that changed within this time is kept. Its process may run where this one cannot see it: in another container with
 * the same temporary directory.
 */
const keptFor = Duration.days(1)

/** Logs why directories stay. */
const orWarn = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.catch(self, (error) => Effect.logWarning("temporary directories of ffmpeg not removed", error))

/**
 * Removes the directories of processes that no longer run, a day after their last change. A directory that cannot be removed, such as
 * that of another user, is logged and does not keep the others.
 */
export const removeAbandoned = (parent = tmpdir()): Effect.Effect<void, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const now = yield* Clock.currentTimeMillis
    const removeOld = Effect.fnUntraced(function* (path: string) {
      const changedAt = Option.getOrUndefined((yield* files.stat(path)).mtime)
      if (changedAt === undefined || now - changedAt.getTime() < Duration.toMillis(keptFor)) return
      yield* files.remove(path, { recursive: true, force: true })
    })
    const names = (yield* files.readDirectory(parent)).filter(hasNoProcess)
    yield* Effect.forEach(names, (name) => orWarn(removeOld(`${parent}/${name}`)), { discard: true })
  }).pipe(orWarn)
