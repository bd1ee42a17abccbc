/**
 * The service is killed, again and again, in the middle of whatever it does. What it had acknowledged is there and
 * whole afterwards, what it had not is there as a whole or not at all, and nothing else is left.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as Ledger from "./Ledger.ts"

const rounds = 12

/** Goes on until the service is gone. */
const work = async (ledger: Ledger.Ledger, isOver: () => boolean): Promise<void> => {
  while (!isOver()) {
    const dice = Math.random()
    const size = Math.random() < 0.2 ? 3_000_000 : Math.floor(Math.random() * 20_000)
    const step = dice < 0.5 ? ledger.create(size) : dice < 0.8 ? ledger.overwrite(size) : ledger.remove()
    try {
      await step
    } catch (error) {
      // Once it is killed, requests fail as they may; before, none does.
      if (!isOver()) throw error
    }
  }
}

const filesBelow = (directory: string): ReadonlyArray<string> =>
  Fs.readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => Path.join(entry.parentPath, entry.name))

describe("kill -9", () => {
  it("loses nothing that was acknowledged, and leaves nothing half-done", { timeout: 240_000 }, async () => {
    const data = await Process.directory()
    const env = { HOLDFAST_BLOB_GRACE: "1s", HOLDFAST_SWEEP_INTERVAL: "1s", HOLDFAST_ACCESS_LOG: "off" }
    let service = await Process.serve({ data, env })
    const [key] = await service.printed(/hf_[\w-]{49}/)
    let requests = Requests.make(`${service.url}/api/v1`, key)
    const created = async (path: string, json: object) => {
      const record = (await (await requests.post(path, { json })).json()) as { readonly id: string }
      return record.id
    }
    const tenantId = await created("/tenants", { name: "T", subdomain: "crash" })
    const bucket = { tenantId, bucketId: await created(`/tenants/${tenantId}/buckets`, { name: "b" }) }
    const ledger = Ledger.make(() => requests, bucket)

    for (let round = 0; round < rounds; round++) {
      let isOver = false
      const workers = Promise.all(Array.from({ length: 6 }, () => work(ledger, () => isOver)))
      const enough = ledger.acknowledgements() + 5 + Math.floor(Math.random() * 60)
      await Promise.race([
        workers,
        (async () => {
          while (ledger.acknowledgements() < enough) await new Promise(setImmediate)
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

    // The sweeper takes what no file needs any more; then rows and blobs agree in both directions.
    const standing = [...ledger.entries.values()].filter(({ acknowledged }) => acknowledged !== Ledger.gone).length
    const most = standing + ledger.unanswered.size
    await expect.poll(() => filesBelow(Path.join(data, "blobs")).length, { timeout: 30_000 }).toBeLessThanOrEqual(most)
    assert.isAtLeast(filesBelow(Path.join(data, "blobs")).length, standing)
    assert.deepStrictEqual(filesBelow(Path.join(data, "tmp")), [])
    assert.strictEqual((await service.stop()).code, 0)
    const fsck = await Process.run(["fsck", "--data-dir", data])
    assert.strictEqual(fsck.code, 0, fsck.stdout + fsck.stderr)
  })
})
