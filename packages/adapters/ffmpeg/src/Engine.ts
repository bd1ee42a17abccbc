/**
 * What every piece of work needs: the programs, and what they may cost.
 */
import * as Limits from "@holdfast/core/transcoding/Limits"
import * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Child from "./process/Child.ts"
import * as Programs from "./process/Programs.ts"
import * as ScratchDirectory from "./process/ScratchDirectory.ts"

export interface Options {
  /** Path of the program; `ffprobe` must stand beside it. Default: `HOLDFAST_FFMPEG` in the environment, then PATH. */
  readonly ffmpeg?: string | undefined
  /** Where a private directory is made for each piece of work. Default: the system's. */
  readonly temporaryDirectory?: string | undefined
  /** What differs from the port's defaults, for work that brings no limits of its own. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** Of libx264, from `ultrafast` to `veryslow`: the slower, the smaller the result. Default: `veryfast`. */
  readonly preset?: string | undefined
  /** From 0 to 19; the higher, the more processor time is left to others. Default: 10. */
  readonly niceness?: number | undefined
}

/** What the modules of this adapter require of the platform. */
export type Platform = ChildProcessSpawner | FileSystem.FileSystem

export interface Engine {
  readonly preset: string
  readonly programs: Effect.Effect<Programs.Programs, TranscodeError.TranscodeError, ChildProcessSpawner>
  readonly limits: (own: Partial<Limits.Limits> | undefined) => Limits.Limits
  readonly workspace: (
    operation: string,
    input: string
  ) => Effect.Effect<ScratchDirectory.Workspace, TranscodeError.TranscodeError, FileSystem.FileSystem | Scope.Scope>
  readonly spawn: (
    program: "ffmpeg" | "ffprobe",
    command: Pick<Child.Command, "operation" | "limits" | "arguments" | "directory">
  ) => Effect.Effect<Child.Child, TranscodeError.TranscodeError, ChildProcessSpawner | Scope.Scope>
}

export const make = (options: Options): Engine => {
  let found: Programs.Programs | undefined
  // They are looked for again until they are found, so that they can be installed while this runs.
  const programs = Effect.suspend(() =>
    found === undefined
      ? Effect.tap(Programs.find(options.ffmpeg), (programs) => Effect.sync(() => void (found = programs)))
      : Effect.succeed(found)
  )
  return {
    preset: options.preset ?? "veryfast",
    programs,
    limits: (own) => ({ ...Limits.defaults, ...options.limits, ...own }),
    workspace: (operation, input) => ScratchDirectory.make(operation, input, options.temporaryDirectory),
    spawn: (program, command) =>
      Effect.flatMap(programs, ({ guard, ...paths }) =>
        Child.spawn({ ...command, guard, program: paths[program], niceness: options.niceness ?? 10 })
      )
  }
}

/** A limit that the work came to. */
export const exceeded = (operation: string, detail: string): TranscodeError.TranscodeError =>
  new TranscodeError.TranscodeError({ operation, reason: "LimitExceeded", detail })

/** The limits of a work that never needs more time than this. */
export const bounded = (limits: Limits.Limits, longest: Duration.Duration): Limits.Limits => ({
  ...limits,
  wallTime: Duration.min(limits.wallTime, longest),
  cpuTime: Duration.min(limits.cpuTime, longest)
})
