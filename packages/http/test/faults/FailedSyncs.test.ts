/**
 * Each fsync of the service fails once, in one run after the other. The service is killed afterwards and started again: no change
 * that it refused appears, and none is lost that it acknowledged or that a client has read.
 *
 * `HOLDFAST_FAULTS=all` (`pnpm faults`) fails every fsync of the scenario; otherwise a few of them.
 */
import * as Requires from "@holdfast/testing/Requires"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as Ledger from "./Ledger.ts"

const missing = Requires.command("strace", "-f", "--seccomp-bpf", "-e", "inject=fsync:error=EIO:when=1", "true")

/** In each thread the fsync of this number fails. libuv has one thread here, which makes the commits and contents durable. */
const numbers =
  process.env["HOLDFAST_FAULTS"] === "all"
    ? Array.from({ length: 130 }, (_, index) => index + 1)
    : [1, 3, 9, 17, 33, 52]

const env = { HOLDFAST_BLOB_GRACE: "1s", HOLDFAST_SWEEP_INTERVAL: "1s", HOLDFAST_ACCESS_LOG: "off" }

interface Store {
  readonly data: string
  readonly key: string
  readonly bucket: Ledger.Bucket
}

/** Makes a data directory with a bucket, by a service that then stops. */
const makeStore = async (): Promise<Store> => {
  const service = await Process.serve({ env })
  const [key] = await service.untilPrinted(/hf_[\w-]{49}/)
  const requests = Requests.make(`${service.url}/api/v1`, key)
  const created = async (path: string, json: object) =>
    ((await (await requests.post(path, { json })).json()) as { readonly id: string }).id
  const tenantId = await created("/tenants", { name: "T", subdomain: "syncs" })
  const bucketId = await created(`/tenants/${tenantId}/buckets`, { name: "b" })
  await service.stop()
  return { data: service.data, key, bucket: { tenantId, bucketId } }
}

const copyOf = async ({ data }: Store): Promise<string> => {
  const copy = await Process.makeDirectory()
  Fs.cpSync(data, copy, { recursive: true })
  return copy
}

/** Sends requests until one has failed, or enough have succeeded. */
const sendRequests = async (ledger: Ledger.Ledger, worker: number): Promise<void> => {
  const steps = [
    () => ledger.create(1000),
    () => ledger.overwrite(2000),
    () => ledger.read(),
    () => ledger.create(70_000),
    () => ledger.remove()
  ]
  for (let index = 0; index < 20; index++) await steps[(worker + index) % steps.length]?.()
}

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
const run = async (store: Store, number: number, error: string): Promise<Outcome> => {
  const data = await copyOf(store)
  const log = Path.join(await Process.makeDirectory(), "strace")
  const wrapper = straceTo(log, "-e", `inject=fsync,fdatasync:error=${error}:when=${number}`)
  let requests: Requests.Requests | undefined
  const ledger = Ledger.make(() => {
    if (requests === undefined) throw new Error("The service does not run.")
    return requests
  }, store.bucket)
  const connect = ({ url }: Process.Service) => Requests.make(`${url}/api/v1`, store.key)

  try {
    const service = await Process.serve({ data, env: { ...env, UV_THREADPOOL_SIZE: "1" }, wrapper })
    requests = connect(service)
    await Promise.allSettled(Array.from({ length: 6 }, (_, worker) => sendRequests(ledger, worker)))
    await service.stop("SIGKILL")
  } catch (error) {
    // The start itself may fail.
    if (!String(error).includes("exited before")) throw error
  }
  const hasFailed = Fs.readFileSync(log, "utf8").includes("(INJECTED)")

  const restarted = await Process.serve({ data, env })
  const faults = await Ledger.audit(ledger, connect(restarted), store.bucket)
  await restarted.stop()
  return { faults, hasFailed, refused: ledger.refused.size }
}

Requires.requires(missing).describe("fsync fails", () => {
  it(
    "service killed afterwards → no refused change appears, none that was acknowledged or read is lost",
    { timeout: 60_000 * numbers.length },
    async () => {
      const store = await makeStore()
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
      const { bucket, data, key } = await makeStore()
      const log = Path.join(await Process.makeDirectory(), "strace")
      const path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
      const inject = ["-P", Path.join(data, "holdfast.sqlite-wal"), "-e", "inject=fsync:error=EIO:when=12"]
      const service = await Process.serve({
        data,
        env: { ...env, UV_THREADPOOL_SIZE: "1" },
        wrapper: straceTo(log, ...inject)
      })
      const requests = Requests.make(`${service.url}/api/v1`, key)
      const reserve = (name: string) => requests.post(path, { json: { name } })
      const names: Array<string> = []
      let response = await reserve("f0")
      for (; response.status === 201; response = await reserve(`f${names.length}`)) names.push(`f${names.length}`)
      assert.strictEqual(response.status, 503)
      assert.notInclude(await response.text(), "unknown")
      assert.strictEqual((await service.exited).code, 1)
      assert.include(service.stderr(), "the disk failed to sync the database")

      const restarted = await Process.serve({ data, env })
      const page = await Requests.make(`${restarted.url}/api/v1`, key).get(path)
      const { items } = (await page.json()) as { readonly items: ReadonlyArray<{ readonly name: string }> }
      assert.sameMembers(
        items.map(({ name }) => name),
        names
      )
    }
  )
})
