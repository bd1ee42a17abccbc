/**
 * What all methods of the adapter share: options, programs, limits, and how a program is started.
 */
import * as Defined from "@holdfast/core/inputs/Defined"
import * as Limits from "@holdfast/core/transcoding/Limits"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Child from "./process/Child.ts"
import type { User } from "./process/Confinement.ts"
import type * as FindConfinement from "./process/FindConfinement.ts"
import * as Programs from "./process/Programs.ts"
import * as ScratchDirectory from "./process/ScratchDirectory.ts"

/** Some of the limits, with durations as whatever makes one: milliseconds, or a text such as "1 hour". */
export type LimitOptions = {
  readonly [Name in keyof Limits.Limits]?:
    | (Limits.Limits[Name] extends Duration.Duration ? Duration.Input : Limits.Limits[Name])
    | undefined
}

export interface Options {
  /**
   * Path of ffmpeg, with ffprobe in the same directory. Default: `HOLDFAST_FFMPEG` in the environment, then the first ffmpeg
   * in PATH.
   */
  readonly ffmpeg?: string | undefined
  /** Directory in which each run makes a private directory. Default: the system's. */
  readonly temporaryDirectory?: string | undefined
  /** Limits that differ from the port's defaults. Each job may override them. */
  readonly limits?: LimitOptions | undefined
  /** Preset of libx264, from `ultrafast` to `veryslow`. A slower preset makes smaller files. Default: `veryfast`. */
  readonly preset?: string | undefined
  /**
   * Whether the greatest bitrates of the ladder follow from the pictures of each video: short samples of one that lasts some minutes are
   * encoded first. Default: false.
   */
  readonly perTitle?: boolean | undefined
  /**
   * A conversion that reports nothing for this long is killed, and fails with `Unavailable`: its program is stopped, or waits for a
   * disk. ffmpeg reports five times a second. Default: one minute.
   */
  readonly stallTimeout?: Duration.Input | undefined
  /** Niceness of the programs, 0 to 19. A higher one leaves more processor time to other processes. Default: 10. */
  readonly niceness?: number | undefined
  /**
   * Namespaces for the programs, made by bubblewrap (`bwrap`), in which they see no network, no other process and no file
   * but their own. `auto`: where the system permits them. `required`: otherwise the transcoder is unavailable. Default: `auto`.
   */
  readonly sandbox?: FindConfinement.SandboxMode | undefined
  /**
   * User as which the programs run if this process runs as root. It must be able to read the inputs; `workspace` has an
   * option for that. Default: root.
   */
  readonly user?: User | undefined
}

/** The services of the platform that the modules of this adapter require. */
export type Platform = ChildProcessSpawner | FileSystem.FileSystem

export interface Engine {
  readonly preset: string
  readonly perTitle: boolean
  readonly stallTimeout: Duration.Duration
  readonly programs: Effect.Effect<Programs.Programs, TranscodeError.TranscodeError, ChildProcessSpawner>
  /** Returns the limits of a job. */
  readonly limits: (own: Partial<Limits.Limits> | undefined) => Limits.Limits
  /** Makes a scratch directory with a link to the input. */
  readonly scratchDirectory: (
    operation: string,
    input: string
  ) => Effect.Effect<ScratchDirectory.ScratchDirectory, TranscodeError.TranscodeError, Platform | Scope.Scope>
  /** Lets the programs read and write a file or directory that the transcoder has made. */
  readonly handOver: (path: string) => Effect.Effect<void, TranscodeError.TranscodeError | PlatformError, Platform>
  /** Starts a program. */
  readonly spawn: (
    program: "ffmpeg" | "ffprobe",
    command: Pick<Child.Command, "operation" | "limits" | "arguments" | "directory" | "readable">
  ) => Effect.Effect<Child.Child, TranscodeError.TranscodeError, ChildProcessSpawner | Scope.Scope>
}

const limitsOf = (options: LimitOptions = {}): Partial<Limits.Limits> => {
  const { cpuTime, duration, wallTime, ...counts } = options
  const toDuration = (input: Duration.Input | undefined) =>
    input === undefined ? undefined : Duration.fromInputUnsafe(input)
  const durations = { cpuTime: toDuration(cpuTime), duration: toDuration(duration), wallTime: toDuration(wallTime) }
  return Defined.of({ ...counts, ...durations }) as Partial<Limits.Limits>
}

export const make = (options: Options): Engine => {
  const limits = limitsOf(options.limits)
  let found: Programs.Programs | undefined
  // Searches again until the programs are found: they may be installed while this process runs.
  const programs = Effect.suspend(() =>
    found === undefined
      ? Effect.tap(
          Programs.find(options.ffmpeg, { sandbox: options.sandbox ?? "auto", user: options.user }),
          (programs) => Effect.sync(() => void (found = programs))
        )
      : Effect.succeed(found)
  )
  return {
    preset: options.preset ?? "veryfast",
    perTitle: options.perTitle ?? false,
    stallTimeout: Duration.fromInputUnsafe(options.stallTimeout ?? "1 minute"),
    programs,
    limits: (own) => ({ ...Limits.defaults, ...limits, ...own }),
    scratchDirectory: (operation, input) =>
      Effect.flatMap(programs, ({ confinement }) =>
        ScratchDirectory.make({ operation, input, confinement, parent: options.temporaryDirectory })
      ),
    handOver: (path) =>
      Effect.flatMap(programs, ({ confinement: { user } }) =>
        user === undefined
          ? Effect.void
          : Effect.flatMap(FileSystem.FileSystem, (files) => files.chown(path, user.uid, user.gid))
      ),
    spawn: (program, command) =>
      Effect.flatMap(programs, ({ confinement, ...paths }) =>
        Child.spawn({ ...command, confinement, program: paths[program], niceness: options.niceness ?? 10 })
      )
  }
}

/** Makes the error of a run that reached a limit. */
export const limitExceeded = (operation: string, detail: string): TranscodeError.TranscodeError =>
  new TranscodeError.TranscodeError({ operation, reason: "LimitExceeded", detail })

/** Returns limits with at most this much time, for an operation that needs less than a conversion. */
export const withMaxTime = (limits: Limits.Limits, maxTime: Duration.Duration): Limits.Limits => ({
  ...limits,
  wallTime: Duration.min(limits.wallTime, maxTime),
  cpuTime: Duration.min(limits.cpuTime, maxTime)
})
