/**
 * Kills the service repeatedly while it handles requests. Afterwards every acknowledged content is complete, every
 * other one is complete or absent, and nothing else is left.
 *
 * `HOLDFAST_FAULTS=all` (`pnpm faults`) kills it 12 times; otherwise 4 times, after a different random number of requests in each run.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { assert, describe, expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Ledger from "./Ledger.ts"
import * as StoreIdentity from "../support/StoreIdentity.ts"

const rounds = process.env["HOLDFAST_FAULTS"] === "all" ? 12 : 4

/** Sends random requests until `isOver`. */
const sendRequests = async (ledger: Ledger.Ledger, isOver: () => boolean): Promise<void> => {
  while (!isOver()) {
    const dice = Math.random()
    const size = Math.random() < 0.2 ? 3_000_000 : Math.floor(Math.random() * 20_000)
    const step = dice < 0.5 ? ledger.create(size) : dice < 0.8 ? ledger.overwrite(size) : ledger.remove()
    try {
      await step
    } catch (error) {
      // Requests may fail after the kill, but not before.
      if (!isOver()) throw error
    }
  }
}

const filesBelow = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => Path.join(entry.parentPath, entry.name))
    .filter((path) => !StoreIdentity.isIdentity(path))

describe("SIGKILL", () => {
  it(
    "while requests run, repeated → acknowledged contents complete, the others complete or absent, stores consistent",
    { timeout: 480_000 },
    async () => {
      const data = await Process.makeDirectory()
      const env = { HOLDFAST_BLOB_GRACE: "1s", HOLDFAST_SWEEP_INTERVAL: "1s", HOLDFAST_ACCESS_LOG: "off" }
      const { api, bucketId, key, service: first, tenantId } = await ServiceBucket.start({ data, env })
      let service = first
      let requests = api
      const bucket = { tenantId, bucketId }
      const ledger = Ledger.make(() => requests, bucket)

      for (let round = 0; round < rounds; round++) {
        let isOver = false
        const workers = Promise.all(Array.from({ length: 6 }, () => sendRequests(ledger, () => isOver)))
        const enough = ledger.acknowledgements() + 5 + Math.floor(Math.random() * 60)
        await Promise.race([
          workers,
          (async () => {
            while (ledger.acknowledgements() < enough) await wait(1)
          })()
        ])
        isOver = true
        await service.stop("SIGKILL")
        await workers

        service = await Process.serve({ data, env })
        requests = Requests.make(`${service.url}/api/v1`, key)
        assert.deepStrictEqual(await Ledger.audit(ledger, requests, bucket), [], `round ${round}`)
      }
      assert.isAbove(ledger.acknowledgements(), rounds * 5)

      // The sweeper removes what no file needs any more. Then rows and blobs agree in both directions.
      const remaining = [...ledger.entries.values()].filter(({ acknowledged }) => acknowledged !== Ledger.gone).length
      const most = remaining + ledger.unanswered.size
      await expect
        .poll(() => filesBelow(Path.join(data, "blobs")).length, { timeout: 30_000 })
        .toBeLessThanOrEqual(most)
      assert.isAtLeast(filesBelow(Path.join(data, "blobs")).length, remaining)
      assert.deepStrictEqual(filesBelow(Path.join(data, "tmp")), [])
      assert.strictEqual((await service.stop()).code, 0)
      const fsck = await Process.run(["fsck", "--data-dir", data])
      assert.strictEqual(fsck.code, 0, fsck.stdout + fsck.stderr)
    }
  )
})
