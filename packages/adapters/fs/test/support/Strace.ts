/**
 * Watching and disturbing a program's system calls.
 */
import * as Requires from "@holdfast/testing/Requires"
import type * as Program from "./Program.ts"

/** Why strace does not work here; undefined where it does. */
export const missing: string | undefined = Requires.command("strace", "-f", "-e", "trace=fsync", "true")

const traced = (log: string, ...expressions: ReadonlyArray<string>): Required<Program.Options> => ({
  under: ["strace", "-f", "-y", "-o", log, ...expressions.flatMap((expression) => ["-e", expression])],
  // One thread does all file system calls, so that they have one order and one count.
  environment: { UV_THREADPOOL_SIZE: "1" }
})

/** Records calls, each with the paths of its descriptors. */
export const record = (log: string, calls: ReadonlyArray<string>): Program.Options =>
  traced(log, `trace=${calls.join(",")}`)

/** Kills the process when it enters the `nth` call of a kind. */
export const killAt = (log: string, call: string, nth: number): Program.Options =>
  traced(log, `trace=${call}`, `inject=${call}:signal=KILL:when=${nth}`)

/** Makes calls on one path fail with an errno, from the `nth` on. */
export const failAt = (log: string, call: string, path: string, errno: string, nth = 1): Program.Options => {
  const { under, environment } = traced(log, `trace=${call}`, `inject=${call}:error=${errno}:when=${nth}+`)
  return { under: [...under, "-P", path], environment }
}
