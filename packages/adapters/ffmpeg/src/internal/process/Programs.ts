/**
 * Finds FFmpeg's programs, and the confinement that the system permits them.
 */
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Confinement } from "./Confinement.ts"
import * as FindConfinement from "./FindConfinement.ts"

export interface Programs {
  /** Absolute paths. */
  readonly ffmpeg: string
  readonly ffprobe: string
  readonly confinement: Confinement
}

/** The oldest supported release. */
const oldest: readonly [major: number, minor: number] = [5, 1]

const unavailable = (detail: string, cause?: unknown) =>
  new TranscodeError.TranscodeError({ operation: "check", reason: "Unavailable", detail, cause })

const isExecutable = (path: string): boolean => {
  try {
    Fs.accessSync(path, Fs.constants.X_OK)
    return Fs.statSync(path).isFile()
  } catch {
    return false
  }
}

const search = (name: string): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(Path.delimiter)
    .filter((directory) => Path.isAbsolute(directory))
    .map((directory) => Path.join(directory, name))
    .find(isExecutable)

/** Finds `ffprobe` in the directory of `ffmpeg`, or of the file to which that path links. */
const findFfprobe = (ffmpeg: string): string | undefined =>
  [ffmpeg, Fs.realpathSync(ffmpeg)].map((path) => Path.join(Path.dirname(path), "ffprobe")).find(isExecutable)

/** Whether the output of `ffmpeg -version` is that of an old version. Development builds have no version number and count as new. */
export const isOld = (banner: string): boolean => {
  const [, major, minor] = /^ffmpeg version n?(\d+)\.(\d+)/.exec(banner) ?? []
  if (major === undefined || minor === undefined) return false
  return Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1])
}

/**
 * Finds the programs: at the configured path, otherwise at that of `HOLDFAST_FFMPEG`, otherwise in PATH. `Unavailable` if one
 * of them is missing, does not run or is older than 5.1, or if a sandbox is required and not available.
 */
export const find = Effect.fnUntraced(function* (
  configured: string | undefined,
  wanted: FindConfinement.Wanted
): Effect.fn.Return<Programs, TranscodeError.TranscodeError, ChildProcessSpawner> {
  const spawner = yield* ChildProcessSpawner
  const configuredPath = configured ?? (process.env["HOLDFAST_FFMPEG"] || undefined)
  const ffmpeg = configuredPath === undefined ? search("ffmpeg") : Path.resolve(configuredPath)
  if (ffmpeg === undefined || !isExecutable(ffmpeg)) return yield* unavailable("ffmpeg is not installed.")
  const ffprobe = findFfprobe(ffmpeg)
  if (ffprobe === undefined) return yield* unavailable("ffprobe is not installed beside ffmpeg.")
  const banner = yield* Effect.mapError(
    spawner.string(ChildProcess.make(ffmpeg, ["-version"], { stdin: "ignore" })),
    (cause) => unavailable("ffmpeg does not run.", cause)
  )
  if (!banner.startsWith("ffmpeg version")) return yield* unavailable("ffmpeg does not run.")
  if (isOld(banner)) return yield* unavailable(`ffmpeg is older than ${oldest.join(".")}.`)
  const confinement = yield* FindConfinement.find(ffmpeg, wanted)
  if (wanted.sandbox === "required" && confinement.sandbox === "none") {
    return yield* unavailable("ffmpeg does not run in a sandbox here.")
  }
  const { sandbox, user } = confinement
  yield* Effect.annotateLogs(Effect.logInfo("ffmpeg found"), {
    path: ffmpeg,
    sandbox,
    user: user === undefined ? "that of the service" : `${user.uid}:${user.gid}`,
    guard: confinement.guard
  })
  if (process.getuid?.() === 0 && user === undefined && wanted.user !== undefined) {
    yield* Effect.logWarning("ffmpeg runs as root: setpriv of util-linux is missing or may not change the user")
  }
  return { ffmpeg, ffprobe, confinement } satisfies Programs
})
