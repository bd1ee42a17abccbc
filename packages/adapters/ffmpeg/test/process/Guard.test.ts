import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@holdfast/core/transcoding/Limits"
import * as Requires from "@holdfast/testing/Requires"
import * as Duration from "effect/Duration"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { getPriority } from "node:os"
import * as Guard from "../../src/internal/process/Guard.ts"

const limits: Limits.Limits = {
  ...Limits.defaults,
  cpuTime: Duration.seconds(100),
  memoryBytes: 512 * 1024 * 1024,
  outputBytes: 1024 * 1024
}

/** Runs a script under a guard until it exits, with an open pipe to it. */
const run = async (guard: Guard.Guard, script: string, ...args: ReadonlyArray<string>) => {
  const guarded = Guard.wrap(guard, limits, 7, ["/bin/sh", "-c", script, "sh", ...args])
  const child = spawn(guarded.command, guarded.arguments, {
    stdio: [guarded.stdin, "pipe", "inherit"],
    // As the adapter does: otherwise the guard would lower the priority of the tests' own session.
    detached: true
  })
  let stdout = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  const [status] = await once(child, "close")
  return { status, stdout }
}

const hasAutogroups = existsSync("/proc/self/autogroup")

const guards = [
  ["signal", Requires.command("setpriv", ...Guard.supportTest)],
  ["watchdog", undefined]
] as const

for (const [guard, missing] of guards) {
  Requires.requires(missing).describe(`Guard: ${guard}`, () => {
    it("limits → set for the program", async () => {
      const shown = "ulimit -S -t; ulimit -H -t; ulimit -v; ulimit -f; ulimit -c; nice"
      assert.strictEqual((await run(guard, shown)).stdout, `100\n110\n524288\n2048\n0\n${getPriority() + 7}\n`)
    })

    it.skipIf(!hasAutogroups)("processes are grouped by session → the niceness is that of the group, too", async () => {
      assert.match((await run(guard, "cat /proc/self/autogroup")).stdout, / nice 7\n$/)
    })

    it("unusual arguments → passed unchanged; exit code → returned", async () => {
      const odd = ["a b", "$(id)", "'\"", "", "-n"]
      const { status, stdout } = await run(guard, 'for argument; do printf "<%s>" "$argument"; done; exit 42', ...odd)
      assert.strictEqual(stdout, odd.map((argument) => `<${argument}>`).join(""))
      assert.strictEqual(status, 42)
    })
  })
}

describe("Guard: signal", () => {
  it("parent has already died → the program is not started", () => {
    const { arguments: args } = Guard.wrap("signal", limits, 0, ["/bin/echo", "started"])
    // The shell without `setpriv`, with the id of another process as its parent.
    const own = args.slice(args.indexOf("-c")).map((argument) => (argument === String(process.pid) ? "1" : argument))
    const { status, stdout } = spawnSync("/bin/sh", own, { encoding: "utf8" })
    assert.strictEqual(status, 125)
    assert.strictEqual(stdout, "")
  })
})
