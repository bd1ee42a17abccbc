/**
 * The power fails at many moments of one run of a program that uploads files in parts. For each moment the files are made that a disk
 * may have had then.
 *
 * `HOLDFAST_FAULTS=all` (`pnpm faults`) tries many moments, otherwise one in each half of the run.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { expect, it } from "vitest"
import * as Process from "../../support/Process.ts"
import * as PowerCut from "../PowerCut.ts"
import * as SyscallTrace from "../SyscallTrace.ts"
import * as PartLedger from "./PartLedger.ts"
import * as PartProgram from "./PartProgram.ts"

const missing = Requires.command("strace", ...SyscallTrace.options, "true")

const cuts = process.env["HOLDFAST_FAULTS"] === "all" ? 40 : 2

Requires.requires(missing).describe("power failure", () => {
  it(
    "during appends, parts, completions and aborts, of the library and over S3 → what was acknowledged is kept, nothing else after the expiry",
    { timeout: 60_000 + 20_000 * cuts },
    async () => {
      const directory = await Process.makeDirectory()
      await (await PartLedger.openStore(directory)).close()
      const base = await Process.makeDirectory()
      Fs.cpSync(directory, base, { recursive: true })
      const log = Path.join(await Process.makeDirectory(), "strace")
      const lines = await PartProgram.runAndKill(directory, 100, ["strace", "-o", log, ...SyscallTrace.options])
      const calls = SyscallTrace.parse(Fs.readFileSync(log, "latin1"), directory)

      const auditAfter = async (kept: typeof calls, at: number) => {
        const data = await Process.makeDirectory()
        PowerCut.restore({ directory, base, calls: kept, at }, data)
        return PartLedger.audit(data, PartLedger.latest(lines, at))
      }
      const times = calls.map(({ end }) => end)
      for (let cut = 0; cut < cuts; cut++) {
        const at = times[Math.floor(((cut + Math.random()) / cuts) * times.length)] ?? 0
        expect(await auditAfter(calls, at), `cut ${cut} of ${cuts}`).toEqual([])
      }
      // The same moments lose parts when no sync counts: the comparison would notice it.
      const unsynced = calls.filter(({ kind }) => kind !== "sync")
      const noticed = await auditAfter(unsynced, times.at(-1) ?? 0).catch(() => ["The store did not open."])
      expect(noticed).not.toEqual([])
    }
  )
})
