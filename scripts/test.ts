/**
 * `pnpm test [vitest arguments]`: installs the programs that the tests need, runs the tests, and prints
 * `N passed, N failed` as its last line. The exit status is 0 when nothing failed, otherwise 1.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Launcher from "./machine/Launcher.ts"
import * as Prerequisites from "./machine/Prerequisites.ts"
import * as TestSummary from "./results/TestSummary.ts"

const printLine = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const missing = Prerequisites.install(
  [
    Prerequisites.postgres,
    Prerequisites.ffmpeg,
    Prerequisites.bubblewrap,
    Prerequisites.strace,
    Prerequisites.curl,
    Prerequisites.locale,
    Prerequisites.ceph,
    Prerequisites.rclone,
    Prerequisites.s3Tools,
    Prerequisites.chromium,
    Prerequisites.nginx,
    Prerequisites.varnish,
    Prerequisites.haproxy,
    Prerequisites.pgbouncer
  ],
  printLine
)
if (missing.length > 0) {
  printLine(
    `Not installed: ${missing.map((prerequisite) => prerequisite.name).join(", ")}. Tests that need them are skipped.`
  )
}

// On its own: apt-get installs nothing when one of the packages does not exist.
Prerequisites.install([Prerequisites.headlessShell], printLine)

const vitest = fileURLToPath(new URL("./vitest.mjs", import.meta.resolve("vitest/package.json")))
const reporter = fileURLToPath(new URL("./results/SummaryReporter.ts", import.meta.url))
const options = ["--reporter=default", `--reporter=${reporter}`, ...(process.stdout.isTTY ? [] : ["--no-color"])]
const child = spawn(process.execPath, [vitest, "run", ...options, ...process.argv.slice(2)], {
  stdio: ["inherit", "inherit", "inherit", "ipc"]
})

let summary = TestSummary.empty
child.on("message", (message: TestSummary.TestSummary) => {
  summary = message
})
// A run that is stopped still prints its summary: this process outlives the child. A terminal sends SIGINT to both.
process.on("SIGINT", () => {})
for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal))

Launcher.stopWhenNpxExits()

child.on("close", (status, signal) => {
  for (const note of TestSummary.notes(summary)) printLine(note)
  if (signal !== null) printLine(`${signal} stopped the tests.`)
  const outcome = TestSummary.withExitStatus(summary, status)
  printLine(TestSummary.format(outcome))
  process.exitCode = outcome.failed === 0 ? 0 : 1
})
