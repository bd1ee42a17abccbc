/**
 * `pnpm test [vitest arguments]`: provides what the tests need of the machine, runs them, and ends with the line
 * `N passed, N failed`. The exit status is 0 when nothing failed, 1 otherwise.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Launcher from "./Launcher.ts"
import * as Needs from "./Needs.ts"
import * as Tally from "./Tally.ts"

const tell = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const needs = [
  Needs.postgres,
  Needs.ffmpeg,
  Needs.strace,
  Needs.curl,
  Needs.locale,
  Needs.ceph,
  Needs.rclone,
  Needs.chromium
]
const unmet = Needs.meet(needs, tell)
if (unmet.length > 0) {
  tell(`Not on this machine: ${unmet.map((need) => need.name).join(", ")}. Tests that need them are skipped.`)
}

const vitest = fileURLToPath(new URL("./vitest.mjs", import.meta.resolve("vitest/package.json")))
const reporter = fileURLToPath(new URL("./TallyReporter.ts", import.meta.url))
const options = ["--reporter=default", `--reporter=${reporter}`, ...(process.stdout.isTTY ? [] : ["--no-color"])]
const child = spawn(process.execPath, [vitest, "run", ...options, ...process.argv.slice(2)], {
  stdio: ["inherit", "inherit", "inherit", "ipc"]
})

let tally = Tally.empty
child.on("message", (message: Tally.Tally) => {
  tally = message
})
// Whoever stops the run still gets the tally: this process outlives the other. A terminal interrupts both by itself.
process.on("SIGINT", () => {})
for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal))

Launcher.follow()

child.on("close", (status, signal) => {
  if (tally.skipped.length > 0) tell(`Skipped:\n${tally.skipped.map((name) => `  ${name}`).join("\n")}`)
  if (signal !== null) tell(`The tests were ended by ${signal}.`)
  const outcome = Tally.settle(tally, status)
  tell(Tally.line(outcome))
  process.exitCode = outcome.failed === 0 ? 0 : 1
})
