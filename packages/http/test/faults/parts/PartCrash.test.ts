/**
 * Kills a process repeatedly while it uploads files in parts.
 */
import { expect, it } from "vitest"
import * as Process from "../../support/Process.ts"
import * as PartLedger from "./PartLedger.ts"
import * as PartProgram from "./PartProgram.ts"

const rounds = 3

it(
  "SIGKILL during appends, parts, completions and aborts, of the library and over S3 → what was acknowledged is kept, nothing else after the expiry",
  { timeout: 120_000 },
  async () => {
    const directory = await Process.makeDirectory()
    for (let round = 0; round < rounds; round++) {
      const lines = await PartProgram.runAndKill(directory, 13 + Math.floor(Math.random() * 34))
      expect(await PartLedger.audit(directory, PartLedger.latest(lines)), `round ${round}`).toEqual([])
    }
  }
)
