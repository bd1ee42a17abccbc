/**
 * Runs the program `upload-parts`, and kills it.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished } from "vitest"
import type { Line } from "./PartLedger.ts"

const program = fileURLToPath(new URL("../../programs/upload-parts.ts", import.meta.url))

/** Kills the program after so many lines. Returns all lines that it has printed. A wrapper runs the program, such as strace. */
export const runAndKill = async (
  directory: string,
  count: number,
  wrapper: ReadonlyArray<string> = []
): Promise<ReadonlyArray<Line>> => {
  const [command = "", ...args] = [...wrapper, process.execPath, program, directory]
  // In a group of its own: a signal to it reaches the wrapper and the program.
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], detached: true })
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL")
  }
  onTestFinished(kill)
  const lines: Array<Line> = []
  const output = createInterface({ input: child.stdout })
  const ended = once(output, "close")
  output.on("line", (line) => {
    lines.push(JSON.parse(line) as Line)
    if (lines.length === count) kill()
  })
  await ended
  expect(lines.length).toBeGreaterThanOrEqual(count)
  return lines
}
