/**
 * Kills the service while it removes a large bucket, or a stream whose files another format shares, in steps.
 */
import { requires } from "@holdfast/testing/Requires"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, expect, it } from "vitest"
import * as Samples from "../streams/support/Samples.ts"
import * as StreamServer from "../streams/support/StreamServer.ts"
import { json } from "../support/Problems.ts"
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

const fastSweep = { HOLDFAST_BLOB_GRACE: "1s", HOLDFAST_SWEEP_INTERVAL: "1s", HOLDFAST_ACCESS_LOG: "off" }

it(
  "SIGKILL: after the removal of a large bucket and during its steps → bucket stays removed, the next process finishes",
  { timeout: 480_000 },
  async () => {
    const data = await Process.makeDirectory()
    const env = fastSweep
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

/** Bound of each wait for a condition. Far more than an idle machine needs. */
const bound = { timeout: 60_000, interval: 20 }

/** Makes files of a conversion that the first transaction of its removal gives away. The second one never ends. */
const stuckInSecondStep = [
  `INSERT INTO conversion_file (conversion_id, name, playlist)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
    SELECT conversion.id, printf('a%04d', n.i), '' FROM conversion, n WHERE shares_id IS NULL`,
  `CREATE TRIGGER stuck BEFORE UPDATE ON conversion_file WHEN OLD.name = 'a0550' BEGIN
    SELECT COUNT(*) FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n);
  END`
]

requires(Samples.missing).describe("stream whose files the other format shares", () => {
  it(
    "SIGKILL during its removal → the other format keeps all files, and nothing is left after the removal of that one",
    { timeout: 480_000 },
    async () => {
      const bucket = await ServiceBucket.start({ env: { ...fastSweep, ...Process.converting } })
      const { data } = bucket.service
      let { service } = bucket
      let requests = bucket.api
      const restart = async () => {
        service = await Process.serve({ data, env: { ...fastSweep, ...Process.converting } })
        requests = Requests.make(`${service.url}/api/v1`, bucket.key)
      }
      const query = (statement: string) => {
        const database = new DatabaseSync(Path.join(data, "holdfast.sqlite"))
        const rows = database.prepare(statement).all()
        database.close()
        return rows
      }
      const usage = async () => json(await requests.get(`/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/usage`))

      const content = await Samples.make(await Process.makeDirectory(), "mpeg4.avi")
      const streams = `${await ServiceBucket.uploadFile(bucket, "a.avi", content)}/streams`
      const before = await usage()
      for (const format of ["dash", "hls"]) {
        const answer = await requests.post(`${streams}/${format}`, { headers: { prefer: "wait=60" } })
        expect(await json(answer)).toMatchObject({ format, state: "READY" })
      }
      await expect.poll(async () => (await requests.get(`${streams}/hls/storyboard.vtt`)).status, bound).toBe(200)
      const playlist = await (await requests.get(`${streams}/hls/playlist.m3u8`)).text()
      const segments = StreamServer.addresses(playlist).map((address) => address.split("?")[0])
      expect(segments.length).toBeGreaterThan(0)
      const readAll = () =>
        Promise.all(
          [...segments.map((name) => `hls/${name}`), "poster.jpg"].map(async (name) => {
            const answer = await requests.get(`${streams}/${name}`)
            return { name, status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()).toString("base64") }
          })
        )
      const files = await readAll()
      expect(files.map(({ status }) => status)).toEqual(files.map(() => 200))
      const shared = await usage()
      const blobs = Path.join(data, "blobs")
      await service.stop()

      const { length: count } = query("SELECT id FROM blob WHERE state = 'READY'")
      expect(query("SELECT id FROM conversion WHERE shares_id IS NOT NULL")).toHaveLength(1)
      for (const statement of stuckInSecondStep) query(statement)
      await restart()
      const removed = requests.delete(`${streams}/dash`).catch(() => undefined)
      const leaving = "SELECT 1 FROM conversion JOIN blob ON blob.id = conversion.blob_id WHERE blob.state = 'DOOMED'"
      await expect.poll(() => query(leaving).length, bound).toBe(1)
      await service.stop("SIGKILL")
      await removed
      query("DROP TRIGGER stuck")
      const owners = () => query("SELECT DISTINCT conversion_id FROM conversion_file")
      expect(owners()).toHaveLength(2)

      await restart()
      // Until the sweep has given the rest of the files to the other format.
      do expect(await readAll()).toEqual(files)
      while (owners().length > 1)
      expect((await requests.get(`${streams}/dash/manifest.mpd`)).status).toBe(404)
      const consistent = (left: number) =>
        expect
          .poll(async () => (await Process.run(["fsck", "--data-dir", data])).stdout, { ...bound, interval: 500 })
          .toBe(`${left} records, ${left} contents: 0 findings, 0 not repaired.\n`)
      await consistent(count)
      expect(await readAll()).toEqual(files)
      expect(await usage()).toEqual(shared)

      expect((await requests.delete(`${streams}/hls`)).status).toBe(204)
      await expect.poll(() => countFiles(blobs), bound).toBe(1)
      await consistent(1)
      expect(await usage()).toEqual(before)
      expect(query("SELECT id FROM conversion")).toEqual([])
      expect((await service.stop()).code).toBe(0)
    }
  )
})
