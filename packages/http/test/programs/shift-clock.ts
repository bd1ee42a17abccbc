/**
 * Shifts the wall clock of the process that imports it by the milliseconds in the file SHIFTED_CLOCK_FILE. SIGUSR2 reads the file
 * again: the clock steps. The monotonic clock and timers are those of the machine.
 */
import { readFileSync } from "node:fs"

const file = process.env["SHIFTED_CLOCK_FILE"] ?? ""
const readShift = () => Number(readFileSync(file, "utf8"))
let shift = readShift()
process.on("SIGUSR2", () => void (shift = readShift()))

const RealDate = globalThis.Date
const now = () => RealDate.now() + shift

class ShiftedDate extends RealDate {
  constructor(...given: [] | ConstructorParameters<typeof Date>) {
    super(...((given.length === 0 ? [now()] : given) as [number]))
  }

  static override now(): number {
    return now()
  }
}

globalThis.Date = ShiftedDate as unknown as typeof Date
