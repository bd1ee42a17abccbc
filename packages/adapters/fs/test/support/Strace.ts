/**
 * Records a program's system calls and makes them fail, with strace.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs"
import type * as Program from "./Program.ts"

/** Why strace cannot run; undefined if it can. */
export const missing: string | undefined = Requires.command("strace", "-f", "-e", "trace=fsync", "true")

const traced = (log: string, ...expressions: ReadonlyArray<string>): Required<Program.Options> => ({
  under: ["strace", "-f", "-y", "-o", log, ...expressions.flatMap((expression) => ["-e", expression])],
  // One thread makes all file system calls, so that they have a fixed order and count.
  environment: { UV_THREADPOOL_SIZE: "1" }
})

/** Records system calls with the paths of their descriptors. */
export const record = (log: string, calls: ReadonlyArray<string>): Program.Options =>
  traced(log, `trace=${calls.join(",")}`)

/**
 * Returns the recorded calls in the order of their ends, each as one line. strace writes two lines for a call during which another
 * thread makes one, which happens mostly on a busy machine: the call and its result.
 */
export const readCalls = (log: string): ReadonlyArray<string> => {
  const begun = new Map<string, string>()
  return Fs.readFileSync(log, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, thread = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? []
      const [, begin] = /^(.*) <unfinished \.\.\.>$/.exec(call) ?? []
      if (begin !== undefined) {
        begun.set(thread, begin)
        return []
      }
      const [, end] = /^<\.\.\. \w+ resumed>(.*)$/.exec(call) ?? []
      return [end === undefined ? call : `${begun.get(thread) ?? ""}${end}`]
    })
}

/** Kills the process when it makes the `nth` call of a kind. */
export const killAt = (log: string, call: string, nth: number): Program.Options =>
  traced(log, `trace=${call}`, `inject=${call}:signal=KILL:when=${nth}`)

/** Makes calls on one path fail with an errno, from the `nth` on. */
export const failAt = (log: string, call: string, path: string, errno: string, nth = 1): Program.Options => {
  const { under, environment } = traced(log, `trace=${call}`, `inject=${call}:error=${errno}:when=${nth}+`)
  return { under: [...under, "-P", path], environment }
}
