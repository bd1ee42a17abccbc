/**
 * Each fsync of the service fails once, in one run after the other. The service is killed afterwards and started again: no change
 * that it refused appears, and none is lost that it acknowledged or that a client has read.
 *
 * `HOLDFAST_FAULTS=all` (`pnpm faults`) fails every fsync of the scenario; otherwise one of the start, of a content, of a commit, and
 * one near the end.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, it } from "vitest"
import * as Process from "../support/Process.ts"
import type * as Requests from "../support/Requests.ts"
import * as Ledger from "./Ledger.ts"
import * as ServiceStore from "./ServiceStore.ts"

const missing = Requires.command("strace", "-f", "--seccomp-bpf", "-e", "inject=fsync:error=EIO:when=1", "true")

/** In each thread the fsync of this number fails. libuv has one thread here, which makes the commits and contents durable. */
const numbers =
  process.env["HOLDFAST_FAULTS"] === "all" ? Array.from({ length: 130 }, (_, index) => index + 1) : [1, 9, 17, 52]

const straceTo = (log: string, ...options: ReadonlyArray<string>) => [
  "strace",
  "-f",
  "--seccomp-bpf",
  "-o",
  log,
  "-e",
  "trace=fsync,fdatasync",
  ...options
]

interface Outcome {
  readonly faults: ReadonlyArray<string>
  readonly hasFailed: boolean
  readonly refused: number
}

/** Runs requests while the fsync of a number fails, kills the service, and compares the next one with the ledger. */
const run = async (store: ServiceStore.ServiceStore, number: number, error: string): Promise<Outcome> => {
  const data = await ServiceStore.copyOf(store)
  const log = Path.join(await Process.makeDirectory(), "strace")
  const wrapper = straceTo(log, "-e", `inject=fsync,fdatasync:error=${error}:when=${number}`)
  let requests: Requests.Requests | undefined
  const ledger = Ledger.make(() => {
    if (requests === undefined) throw new Error("The service does not run.")
    return requests
  }, store.bucket)

  try {
    const service = await Process.serve({ data, env: { ...ServiceStore.env, UV_THREADPOOL_SIZE: "1" }, wrapper })
    requests = ServiceStore.connect(store, service)
    await Promise.allSettled(Array.from({ length: 6 }, (_, worker) => ServiceStore.sendRequests(ledger, worker, 20)))
    await service.stop("SIGKILL")
  } catch (error) {
    // The start itself may fail.
    if (!String(error).includes("exited before")) throw error
  }
  const hasFailed = Fs.readFileSync(log, "utf8").includes("(INJECTED)")

  const restarted = await Process.serve({ data, env: ServiceStore.env })
  const faults = await Ledger.audit(ledger, ServiceStore.connect(store, restarted), store.bucket)
  await restarted.stop()
  return { faults, hasFailed, refused: ledger.refused.size }
}

Requires.requires(missing).describe("fsync fails", () => {
  it(
    "service killed afterwards → no refused change appears, none that was acknowledged or read is lost",
    { timeout: 60_000 * numbers.length },
    async () => {
      const store = await ServiceStore.make()
      const outcomes: Array<Outcome> = []
      for (const [index, number] of numbers.entries()) {
        const error = index % 2 === 0 ? "EIO" : "ENOSPC"
        const outcome = await run(store, number, error)
        assert.deepStrictEqual(outcome.faults, [], `${error} at ${number}`)
        outcomes.push(outcome)
      }
      assert.isAbove(outcomes.filter(({ hasFailed }) => hasFailed).length, numbers.length / 2)
      assert.isAbove(
        outcomes.reduce((sum, { refused }) => sum + refused, 0),
        0
      )
    }
  )

  it(
    "commit of an upload → 503, the service exits with code 1; after the next start the file does not exist",
    { timeout: 120_000 },
    async () => {
      const store = await ServiceStore.make()
      const { bucket, data } = store
      const log = Path.join(await Process.makeDirectory(), "strace")
      const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
      const inject = ["-P", Path.join(data, "holdfast.sqlite-wal"), "-e", "inject=fsync:error=EIO:when=12"]
      const service = await Process.serve({
        data,
        env: { ...ServiceStore.env, UV_THREADPOOL_SIZE: "1" },
        wrapper: straceTo(log, ...inject)
      })
      const requests = ServiceStore.connect(store, service)
      const reserve = (name: string) => requests.post(path, { json: { name } })
      const names: Array<string> = []
      let response = await reserve("f0")
      for (; response.status === 201; response = await reserve(`f${names.length}`)) names.push(`f${names.length}`)
      assert.strictEqual(response.status, 503)
      assert.notInclude(await response.text(), "unknown")
      assert.strictEqual((await service.exited).code, 1)
      assert.include(service.stderr(), "the disk failed to sync the database")

      const restarted = await Process.serve({ data, env: ServiceStore.env })
      const page = await ServiceStore.connect(store, restarted).get(path)
      const { items } = (await page.json()) as { readonly items: ReadonlyArray<{ readonly name: string }> }
      assert.sameMembers(
        items.map(({ name }) => name),
        names
      )
    }
  )
})
