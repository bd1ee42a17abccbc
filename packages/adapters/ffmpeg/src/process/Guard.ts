/**
 * How a program is started so that it keeps to limits and dies with this process, whatever way this process dies.
 *
 * The limits are the kernel's (`setrlimit`), set by a shell that the program then replaces. For its death there are two
 * ways. Where util-linux has `setpriv --pdeathsig` the kernel kills the program when its parent is gone. Elsewhere the shell stays
 * as the parent, and a second one reads from a pipe that this process holds open: at its end it kills the program.
 */
import type * as Limits from "@holdfast/core/transcoding/Limits"
import * as Duration from "effect/Duration"

export type Guard = "signal" | "watchdog"

/** A program with its arguments, as it is to be spawned. */
export interface Guarded {
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  /** A pipe must stay open as long as the program may live. */
  readonly stdin: "ignore" | "pipe"
}

/** A limit that cannot be set is one that the system does not have, or that is lower already. */
const limit = (flag: string, value: string): string => `ulimit ${flag} ${value} 2>/dev/null || :`

/** Past the soft limit a program is told and can end; past the hard one it is killed. No core is ever dumped. */
const limits = [
  limit("-c", "0"),
  limit("-S -t", '"$2"'),
  limit("-H -t", '"$(($2 + 10))"'),
  limit("-v", '"$3"'),
  limit("-f", '"$4"'),
  "niceness=$5",
  "shift 5",
  // A lean system may lack it.
  'if command -v nice >/dev/null 2>&1; then set -- nice -n "$niceness" "$@"; fi'
].join("\n")

/** The parent is compared after the kernel knows what to do at its death, so that no moment is unwatched. */
const signalScript = `[ "$PPID" = "$1" ] || exit 125
${limits}
exec "$@"`

const watchdogScript = `${limits}
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
{ read -r _; kill -9 "$program"; } <&3 >/dev/null 2>&1 &
watchdog=$!
wait "$program"
status=$?
{ kill -9 "$watchdog"; wait "$watchdog"; } 2>/dev/null
exit "$status"`

/** The arguments that make `setpriv` do no more than succeed, where it knows how to. */
export const trial = ["--no-new-privs", "--pdeathsig", "KILL", "--", "true"]

/** POSIX counts the size of files in blocks of 512 bytes, and memory in kibibytes. */
const settings = (limits: Limits.Limits, niceness: number): ReadonlyArray<string> => [
  String(process.pid),
  String(Math.max(1, Math.ceil(Duration.toSeconds(limits.cpuTime)))),
  String(Math.ceil(limits.memoryBytes / 1024)),
  String(Math.ceil(limits.outputBytes / 512)),
  String(niceness)
]

export const wrap = (
  guard: Guard,
  limits: Limits.Limits,
  niceness: number,
  program: string,
  args: ReadonlyArray<string>
): Guarded => {
  const rest = ["holdfast", ...settings(limits, niceness), program, ...args]
  return guard === "signal"
    ? {
        command: "setpriv",
        arguments: [...trial.slice(0, -1), "/bin/sh", "-c", signalScript, ...rest],
        stdin: "ignore"
      }
    : { command: "/bin/sh", arguments: ["-c", watchdogScript, ...rest], stdin: "pipe" }
}
