/**
 * Finds out which confinement this system permits.
 */
import * as Limits from "@holdfast/core/transcoding/Limits"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Confinement from "./Confinement.ts"
import * as Guard from "./Guard.ts"

/**
 * - `auto`: namespaces where the system permits them.
 * - `required`: no program runs without namespaces.
 * - `off`: no namespaces.
 */
export type SandboxMode = "auto" | "required" | "off"

export interface Wanted {
  readonly sandbox: SandboxMode
  /** The user to which root changes. */
  readonly user: Confinement.User | undefined
}

/** Whether a command runs and succeeds. */
const attempt = ({ arguments: args, command, stdin }: Guard.GuardedCommand) =>
  Effect.gen(function* () {
    const spawner = yield* ChildProcessSpawner
    const spawned = ChildProcess.make(command, args, { stdin, stdout: "ignore", cwd: "/" })
    return (yield* spawner.exitCode(spawned)) === 0
  }).pipe(Effect.orElseSucceed(() => false))

/** Returns the strongest confinement in which `ffmpeg -version` runs. */
export const find = Effect.fnUntraced(function* (
  ffmpeg: string,
  wanted: Wanted
): Effect.fn.Return<Confinement.Confinement, never, ChildProcessSpawner> {
  const hasSetpriv = yield* attempt({ command: "setpriv", arguments: Guard.supportTest, stdin: "ignore" })
  if (!hasSetpriv) return { guard: "watchdog", sandbox: "none", user: undefined }
  const runs = (confinement: Confinement.Confinement) =>
    attempt(
      Confinement.wrap(confinement, {
        program: ffmpeg,
        arguments: ["-version"],
        limits: Limits.defaults,
        niceness: 0,
        directory: "/tmp",
        readable: [],
        input: undefined
      })
    )
  const user = process.getuid?.() === 0 ? wanted.user : undefined
  const sandboxed = { guard: "signal", sandbox: "bubblewrap", user } as const
  if (wanted.sandbox !== "off" && (yield* runs(sandboxed))) return sandboxed
  const asUser = { guard: "signal", sandbox: "none", user } as const
  return (yield* runs(asUser)) ? asUser : { ...asUser, user: undefined }
})
