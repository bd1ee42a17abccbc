/**
 * A sync of the database fails in one of several worker processes.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Path from "node:path"
import { assert, it } from "vitest"
import * as Ledger from "../faults/Ledger.ts"
import * as ServiceStore from "../faults/ServiceStore.ts"
import * as Process from "../support/Process.ts"

const missing = Requires.command("strace", "-f", "--seccomp-bpf", "-e", "inject=fsync:error=EIO:when=1", "true")

Requires.requires(missing).describe("fsync fails in a worker process", () => {
  it(
    "all processes end, exit code 1; after the next start what was acknowledged or read is there",
    { timeout: 120_000 },
    async () => {
      const store = await ServiceStore.make()
      const env = { ...ServiceStore.env, HOLDFAST_WORKERS: "2", UV_THREADPOOL_SIZE: "1" }
      const log = Path.join(await Process.makeDirectory(), "strace")
      const wrapper = ["strace", "-f", "--seccomp-bpf", "-o", log, "-e", "trace=fsync,fdatasync"].concat([
        "-P",
        Path.join(store.data, "holdfast.sqlite-wal"),
        "-e",
        "inject=fsync,fdatasync:error=EIO:when=25"
      ])
      const service = await Process.serve({ data: store.data, env, wrapper })
      const requests = ServiceStore.connect(store, service)
      const ledger = Ledger.make(() => requests, store.bucket)
      const clients = Array.from({ length: 6 }, (_, worker) => ServiceStore.sendRequests(ledger, worker, 40))
      await Promise.allSettled(clients)
      assert.strictEqual((await service.exited).code, 1)
      assert.include(service.stderr(), "the disk failed to sync the database")
      assert.isAbove(ledger.acknowledgements(), 0)

      const restarted = await Process.serve({ data: store.data, env })
      assert.deepStrictEqual(await Ledger.audit(ledger, ServiceStore.connect(store, restarted), store.bucket), [])
    }
  )
})
