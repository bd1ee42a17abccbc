/**
 * Wraps the start of a program so that it keeps to resource limits and is killed when this process dies for any reason.
 *
 * The limits are the kernel's (`setrlimit`). A shell sets them before it starts the program. There are two guards that kill
 * the program:
 *
 * - `signal`: util-linux's `setpriv --pdeathsig` makes the kernel kill the program when its parent dies.
 * - `watchdog`, for systems without it: the shell remains the parent of the program, and a second shell reads from a pipe
 *   that this process keeps open. When the pipe closes, the second shell kills the program.
 */
import type * as Limits from "@holdfast/core/transcoding/Limits"
import * as Duration from "effect/Duration"

export type Guard = "signal" | "watchdog"

/** The command to spawn for a guarded program. */
export interface GuardedCommand {
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  /** The caller must keep a pipe open while the program may run. */
  readonly stdin: "ignore" | "pipe"
}

/** Sets a limit. Ignores a failure: the system does not have this limit, or it is lower already. */
const limit = (flag: string, value: string): string => `ulimit ${flag} ${value} 2>/dev/null || :`

/** Sets the limits. The kernel signals the soft limit of processor time and kills at the hard one. No core is dumped. */
const setLimits = [
  limit("-c", "0"),
  limit("-S -t", '"$2"'),
  limit("-H -t", '"$(($2 + 10))"'),
  limit("-v", '"$3"'),
  limit("-f", '"$4"'),
  "niceness=$5",
  "shift 5",
  // Linux may group processes by session for scheduling. Between groups, the niceness of the group counts.
  '{ echo "$niceness" >/proc/self/autogroup; } 2>/dev/null || :',
  // A minimal system may lack `nice`.
  'if command -v nice >/dev/null 2>&1; then set -- nice -n "$niceness" "$@"; fi'
].join("\n")

/** Compares the parent after `--pdeathsig` took effect: otherwise a death of the parent before that would go unnoticed. */
const signalScript = `[ "$PPID" = "$1" ] || exit 125
${setLimits}
exec "$@"`

const watchdogScript = `${setLimits}
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
{ read -r _; kill -9 "$program"; } <&3 >/dev/null 2>&1 &
watchdog=$!
wait "$program"
status=$?
{ kill -9 "$watchdog"; wait "$watchdog"; } 2>/dev/null
exit "$status"`

/** Arguments with which `setpriv` succeeds without effect if it supports `--pdeathsig`. */
export const supportTest = ["--no-new-privs", "--pdeathsig", "KILL", "--", "true"]

/** Arguments of the scripts. `ulimit` counts file sizes in blocks of 512 bytes, and memory in kibibytes. */
const scriptArguments = (limits: Limits.Limits, niceness: number): ReadonlyArray<string> => [
  String(process.pid),
  String(Math.max(1, Math.ceil(Duration.toSeconds(limits.cpuTime)))),
  String(Math.ceil(limits.memoryBytes / 1024)),
  String(Math.ceil(limits.outputBytes / 512)),
  String(niceness)
]

/** Returns the command that starts a program, with its arguments, under a guard. */
export const wrap = (
  guard: Guard,
  limits: Limits.Limits,
  niceness: number,
  program: ReadonlyArray<string>
): GuardedCommand => {
  const rest = ["holdfast", ...scriptArguments(limits, niceness), ...program]
  return guard === "signal"
    ? {
        command: "setpriv",
        arguments: [...supportTest.slice(0, -1), "/bin/sh", "-c", signalScript, ...rest],
        stdin: "ignore"
      }
    : { command: "/bin/sh", arguments: ["-c", watchdogScript, ...rest], stdin: "pipe" }
}
