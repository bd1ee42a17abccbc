/**
 * How a program is confined: by a guard with the limits of the kernel, by namespaces, and by a user without rights.
 */
import type * as Limits from "@holdfast/core/transcoding/Limits"
import * as Guard from "./Guard.ts"
import * as Sandbox from "./Sandbox.ts"

/** A user by its numbers. */
export interface User {
  readonly uid: number
  readonly gid: number
}

export interface Confinement {
  readonly guard: Guard.Guard
  /** The program that makes the namespaces. It requires the guard `signal`. */
  readonly sandbox: "bubblewrap" | "none"
  /** The user to which root changes; undefined for the user of this process. It requires the guard `signal`. */
  readonly user: User | undefined
}

/** A program with its files. */
export interface Confined extends Sandbox.Sandboxed {
  readonly arguments: ReadonlyArray<string>
  readonly limits: Limits.Limits
  readonly niceness: number
  /** The input; undefined for a program that reads none. */
  readonly input: string | undefined
}

/**
 * Where a program finds its input that could not pass the directories above it: they belong to another user. The shell opens
 * it before the change of the user.
 */
const openedInput = "/proc/self/fd/3"

const changeUser = ({ gid, uid }: User): ReadonlyArray<string> => [
  "setpriv",
  "--reuid",
  String(uid),
  "--regid",
  String(gid),
  "--clear-groups"
]

/**
 * Runs the program as the child of a shell, which is the first process of the namespaces. bubblewrap waits for the first
 * process only where that is not its own. Otherwise it leaves its own behind, for the first process of the system to reap: in
 * a container that is often this process, which reaps no process that it has not started.
 */
const underShell: ReadonlyArray<string> = ["/bin/sh", "-c", '"$@"; exit "$?"', "holdfast"]

/** Returns the path by which a confined program opens its input. */
export const inputPath = ({ sandbox, user }: Confinement, input: string): string =>
  user !== undefined && sandbox === "none" ? openedInput : input

/** Whether the exit code of the command is 128 plus the number of the signal that killed the program. */
export const hidesSignal = ({ guard, sandbox }: Confinement): boolean =>
  guard === "watchdog" || sandbox === "bubblewrap"

/** Returns the command that starts a confined program. */
export const wrap = (confinement: Confinement, confined: Confined): Guard.GuardedCommand => {
  const { guard, sandbox, user } = confinement
  const { input, limits, niceness } = confined
  const program = [confined.program, ...confined.arguments]
  if (sandbox === "bubblewrap") {
    const capabilities = user === undefined ? [] : ["CAP_SETUID", "CAP_SETGID"]
    const inside = user === undefined ? program : [...changeUser(user), "--no-new-privs", "--", ...program]
    const outside = ["bwrap", ...Sandbox.bubblewrapArguments(confined, capabilities)]
    return Guard.wrap(guard, limits, niceness, [...outside, ...underShell, ...inside])
  }
  const guarded = Guard.wrap(guard, limits, niceness, program)
  if (user === undefined) return guarded
  // The kernel forgets the signal of the parent's death when the user changes: `setpriv` must do both.
  const command = [...changeUser(user), ...guarded.arguments]
  return input === undefined
    ? { ...guarded, command: "setpriv", arguments: command.slice(1) }
    : {
        command: "/bin/sh",
        arguments: ["-c", 'exec 3<"$1" && shift && exec "$@"', "holdfast", input, ...command],
        stdin: guarded.stdin
      }
}
