/**
 * Kills the service while it removes a large bucket in steps.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, expect, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as StoreIdentity from "../support/StoreIdentity.ts"

/** More files than one transaction removes. */
const manyFiles = 1200

const countFiles = (directory: string): number =>
  Fs.readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !StoreIdentity.isIdentity(`${entry.parentPath}/`)
  ).length

it(
  "SIGKILL: after the removal of a large bucket and during its steps → bucket stays removed, the next process finishes",
  { timeout: 240_000 },
  async () => {
    const data = await Process.makeDirectory()
    const env = { HOLDFAST_BLOB_GRACE: "1s", HOLDFAST_SWEEP_INTERVAL: "1s", HOLDFAST_ACCESS_LOG: "off" }
    const { api, bucketId, key, service: first, tenantId } = await ServiceBucket.start({ data, env })
    let service = first
    let requests = api
    const connect = () => Requests.make(`${service.url}/api/v1`, key)
    const tenant = `/tenants/${tenantId}`
    const bucket = `${tenant}/buckets/${bucketId}`
    let next = 0
    const upload = async () => {
      while (next < manyFiles) {
        const body = new FormData()
        body.set("body", JSON.stringify({ name: `file-${next++}` }))
        body.set("file", new Blob(["content"]), "x.txt")
        const answer = await requests.post(`${bucket}/files/upload`, { body })
        assert.strictEqual(answer.status, 201)
        await answer.body?.cancel()
      }
    }
    await Promise.all(Array.from({ length: 16 }, upload))
    const blobs = Path.join(data, "blobs")
    assert.isAtLeast(countFiles(blobs), manyFiles)

    assert.strictEqual((await requests.request("DELETE", `${bucket}?force=true`, {})).status, 204)
    await service.stop("SIGKILL")

    service = await Process.serve({ data, env })
    requests = connect()
    assert.strictEqual((await requests.request("GET", bucket, {})).status, 404)
    assert.strictEqual((await requests.request("GET", `${bucket}/files`, {})).status, 404)
    await expect.poll(() => countFiles(blobs), { timeout: 60_000, interval: 1 }).toBeLessThan(manyFiles)
    await service.stop("SIGKILL")

    service = await Process.serve({ data, env })
    requests = connect()
    assert.strictEqual((await requests.request("GET", bucket, {})).status, 404)
    await expect.poll(() => countFiles(blobs), { timeout: 90_000 }).toBe(0)
    assert.strictEqual((await requests.request("DELETE", tenant, {})).status, 204)
    assert.strictEqual((await service.stop()).code, 0)
  }
)
