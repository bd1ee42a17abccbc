/**
 * The power fails at many moments of one run of the service: all writes and syncs of the run are recorded, and for each moment the
 * files are made that a disk may have had then. A service that starts with them has everything that was acknowledged or read.
 *
 * `HOLDFAST_FAULTS=all` (`pnpm faults`) tries many moments, of services of one and of two processes; otherwise one in each half of the run, of one process.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as Ledger from "./Ledger.ts"
import * as PowerCut from "./PowerCut.ts"
import * as ServiceStore from "./ServiceStore.ts"
import * as SyscallTrace from "./SyscallTrace.ts"

const missing = Requires.command("strace", ...SyscallTrace.options, "true")

const [cuts, processes] = process.env["HOLDFAST_FAULTS"] === "all" ? [40, ["1", "2"]] : [2, ["1"]]

const [workers, requestsOfWorker] = [8, 50]

Requires.requires(missing).describe("power failure", () => {
  it.each(processes)(
    "of %s process(es) at any moment, with any part of what was not synced → nothing acknowledged or read is lost or torn",
    { timeout: 180_000 + 30_000 * cuts },
    async (count) => {
      const env = { ...ServiceStore.env, HOLDFAST_WORKERS: count }
      const store = await ServiceStore.make()
      const directory = await ServiceStore.copyOf(store)
      const base = await ServiceStore.copyOf(store)
      const log = Path.join(await Process.makeDirectory(), "strace")
      const service = await Process.serve({
        data: directory,
        env,
        wrapper: ["strace", "-o", log, ...SyscallTrace.options]
      })
      const requests = ServiceStore.connect(store, service)
      const ledger = Ledger.make(() => requests, store.bucket)
      await Promise.all(
        Array.from({ length: workers }, (_, worker) => ServiceStore.sendRequests(ledger, worker, requestsOfWorker))
      )
      // The log is truncated when it is idle; then it begins anew.
      await expectTruncated(`${directory}/holdfast.sqlite-wal`)
      await ServiceStore.sendRequests(ledger, 0, requestsOfWorker)
      await service.stop("SIGKILL")

      const calls = SyscallTrace.parse(Fs.readFileSync(log, "latin1"), directory)
      const times = calls.map(({ end }) => end)
      assert.isAbove(calls.filter(({ kind }) => kind === "sync").length, 100)
      const auditAfter = async (kept: typeof calls, at: number) => {
        const data = await Process.makeDirectory()
        PowerCut.restore({ directory, base, calls: kept, at }, data)
        const restarted = await Process.serve({ data, env })
        const faults = await Ledger.audit(Ledger.at(ledger, at), ServiceStore.connect(store, restarted), store.bucket)
        await restarted.stop()
        return faults
      }
      for (let cut = 0; cut < cuts; cut++) {
        const at = times[Math.floor(((cut + Math.random()) / cuts) * times.length)] ?? 0
        assert.deepStrictEqual(await auditAfter(calls, at), [], `cut ${cut} of ${cuts}`)
      }
      // The same moments lose contents when no sync counts: the comparison would notice it.
      const unsynced = calls.filter(({ kind }) => kind !== "sync")
      const noticed = await auditAfter(unsynced, times.at(-1) ?? 0).catch(() => ["The service did not start."])
      assert.isNotEmpty(noticed)
    }
  )
})

const expectTruncated = async (file: string): Promise<void> => {
  await expect.poll(() => Fs.statSync(file).size, { timeout: 30_000 }).toBeLessThan(10_000)
}
