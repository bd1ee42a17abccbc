/**
 * Runs ffmpeg until it exits, for operations that read nothing of its standard output.
 */
import type * as TranscodeError from "@holdfast/core/transcoding/TranscodeError"
import * as Effect from "effect/Effect"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Engine } from "./Engine.ts"
import type * as Child from "./process/Child.ts"
import * as ExitError from "./process/ExitError.ts"
import * as Suspending from "./Suspending.ts"

export interface WholeRun extends Pick<Child.Command, "operation" | "limits" | "arguments" | "directory" | "readable"> {
  /** Stops the program while it holds true. Default: the program is never stopped. */
  readonly suspended?: Suspending.Suspended
}

/** Returns how the program exited. */
export const exitOf = Effect.fnUntraced(function* (
  engine: Engine,
  { suspended, ...command }: WholeRun
): Effect.fn.Return<ExitError.Exit, TranscodeError.TranscodeError, ChildProcessSpawner | Scope.Scope> {
  const child = yield* engine.spawn("ffmpeg", command)
  yield* Effect.forkScoped(Suspending.follow(suspended, child))
  // A program whose output is not read waits when the pipe is full.
  yield* Stream.runDrain(child.stdout)
  return yield* child.exit
})

/** Fails unless the program succeeds: with `Failed`, unless a signal or its messages show another reason. */
export const succeed = (engine: Engine, privatePaths: ReadonlyArray<string>, command: WholeRun) =>
  Effect.flatMap(exitOf(engine, command), (exit) =>
    exit.code === 0 ? Effect.void : Effect.fail(ExitError.fromExit(command.operation, exit, "Failed", privatePaths))
  )
