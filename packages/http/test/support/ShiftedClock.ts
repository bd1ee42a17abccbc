/**
 * A wall clock for a process of the service that differs from the machine's.
 */
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Process from "./Process.ts"

const preload = new URL("../programs/shift-clock.ts", import.meta.url)

export interface ShiftedClock {
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string>>
  /** Steps the clock of a running process. It is then ahead of the machine's by this many minutes. */
  readonly step: (service: Process.Running, minutes: number) => Promise<void>
}

/** Makes a clock that is ahead of the machine's by some minutes, or behind if they are negative. */
export const make = async (minutes: number): Promise<ShiftedClock> => {
  const file = Path.join(await Process.makeDirectory(), "shift")
  const write = (shift: number) => Fs.writeFile(file, String(shift * 60_000))
  await write(minutes)
  return {
    env: { NODE_OPTIONS: `--import=${preload.href}`, SHIFTED_CLOCK_FILE: file },
    step: async ({ child }, to) => {
      await write(to)
      child.kill("SIGUSR2")
    }
  }
}
