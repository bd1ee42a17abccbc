/**
 * The service with file contents in an object store.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { firstMissing, requires } from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as IncompleteUploads from "../../src/server/compose/IncompleteUploads.ts"
import * as Config from "../../src/server/config/Config.ts"
import * as NodeDigest from "../../src/server/compose/NodeDigest.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as Ceph from "../support/Ceph.ts"
import * as Database from "../support/Database.ts"
import * as Process from "../support/Process.ts"

const secretKey = randomBytes(32).toString("base64")

describe("settings of the stores contradict each other → exit code 2 and one line on standard error", () => {
  const s3 = { HOLDFAST_BLOBS: "s3", HOLDFAST_S3_BUCKET: "b" }
  const cases: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
    [{ HOLDFAST_S3_BUCKET: "b" }, "HOLDFAST_S3_BUCKET: cannot be used, since HOLDFAST_BLOBS is fs"],
    [{ ...s3, HOLDFAST_S3_SECRET_ACCESS_KEY: "hunter2" }, "HOLDFAST_S3_ACCESS_KEY_ID: must be set together"],
    [
      { ...s3, DATABASE_URL: "postgresql://u:hunter2@127.0.0.1:1/x" },
      "HOLDFAST_SECRET_KEY: must be set, since nothing is kept in the data directory"
    ]
  ]
  it.each(cases)("%j", async (env, expected) => {
    const data = Path.join(await Process.makeDirectory(), "data")
    const finished = await Process.run(["serve", "--port", "0", "--data-dir", data], { env })
    expect(finished.stderr).toContain(expected)
    expect(finished.code).toBe(2)
    expect(finished.stderr).toMatch(/^holdfast: [^\n]+\n$/)
    expect(finished.stderr).not.toContain("hunter2")
    await expect(Fs.access(data)).rejects.toThrow()
  })
})

requires(Ceph.missing).describe("contents in S3", () => {
  let ceph: Ceph.Ceph

  beforeAll(async () => {
    ceph = await Ceph.start()
  }, 120_000)
  afterAll(() => ceph.close())

  const store = (bucket: string) => ({
    ...ceph.settings(bucket),
    HOLDFAST_S3_PREFIX: "files/",
    HOLDFAST_BLOB_GRACE: "1s",
    HOLDFAST_SWEEP_INTERVAL: "1s"
  })

  it(
    "metadata in SQLite → the data directory is locked; objects are created, read, checked and removed",
    { timeout: 60_000 },
    async () => {
      const bucket = await ceph.makeBucket()
      const env = store(bucket.name)
      const site = await ServiceBucket.start({ env })
      const content = new Uint8Array(6_000_000).fill(7)
      const path = await ServiceBucket.uploadFile(site, "a.bin", content)
      const range = await site.api.get(`${path}/view`, { headers: { range: "bytes=5999998-" } })
      expect([range.status, await range.arrayBuffer()]).toEqual([206, new Uint8Array([7, 7]).buffer])
      expect(await bucket.keys()).toEqual([expect.stringMatching(/^files\/ten_.*\/bkt_.*\/blb_/)])
      expect(await (await fetch(`${site.service.url}/health/ready`)).json()).toMatchObject({ checks: { blobs: "ok" } })

      const second = await Process.run(["serve", "--port", "0", "--data-dir", site.service.data], { env })
      expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("Another process holds")])
      const fsck = await Process.run(["fsck", "--data-dir", site.service.data], { env })
      expect([fsck.code, fsck.stdout]).toEqual([0, expect.stringContaining("1 records, 1 contents: 0 findings")])

      expect((await site.api.delete(path)).status).toBe(204)
      await expect.poll(() => bucket.keys(), { timeout: 30_000 }).toEqual([])
      expect(await Fs.readdir(site.service.data)).not.toContain("blobs")
    }
  )

  it(
    "IncompleteUploads: incomplete multipart upload older than the minimum age → aborted",
    { timeout: 60_000 },
    async () => {
      const bucket = await ceph.makeBucket()
      const environment = store(bucket.name)
      const ids = ["ten", "bkt", "blb"].map((kind) => `${kind}_01890a5d-ac96-774b-bcce-b302099a8057`)
      await bucket.beginMultipartUpload(`files/${ids.join("/")}`)
      expect(await bucket.incompleteUploads()).toHaveLength(1)
      const config = await Effect.runPromise(
        Effect.provide(Config.load({ environment }), [NodeFileSystem.layer, NodeDigest.layer])
      )
      const runtime = ManagedRuntime.make(IncompleteUploads.layerSweeper(config, { interval: "1 hour", minimumAge: 0 }))
      await runtime.context()
      await expect.poll(() => bucket.incompleteUploads(), { timeout: 30_000 }).toEqual([])
      await runtime.dispose()
    }
  )

  it("bucket does not exist → not ready, and the log contains no credentials", { timeout: 60_000 }, async () => {
    const site = await ServiceBucket.start({ env: store("there-is-no-such-bucket") })
    const answer = await fetch(`${site.service.url}/health/ready`)
    expect([answer.status, await answer.json()]).toMatchObject([503, { checks: { metadata: "ok" } }])
    expect(site.service.stderr()).not.toContain(ceph.credentials.secretAccessKey)
  })
})

requires(firstMissing(Ceph.missing, Database.missing)).describe("contents in S3 and metadata in PostgreSQL", () => {
  it("service and operator commands → no data directory is created", { timeout: 120_000 }, async () => {
    const [ceph, database] = [await Ceph.start(), await Database.start()]
    try {
      const bucket = await ceph.makeBucket()
      const data = Path.join(await Process.makeDirectory(), "not-created")
      const env = {
        DATABASE_URL: await database.create(),
        ...ceph.settings(bucket.name),
        HOLDFAST_DATA_DIR: data,
        // Conversions have their working files in the data directory, wherever their results are stored.
        HOLDFAST_CONVERSIONS: "0"
      }
      expect((await Process.run(["migrate"], { env })).code).toBe(0)
      expect((await Process.run(["keys", "list"], { env })).code).toBe(0)
      const site = await ServiceBucket.start({ env: { ...env, HOLDFAST_SECRET_KEY: secretKey }, data })
      await ServiceBucket.uploadFile(site, "a.txt", new TextEncoder().encode("Hello"))
      expect(await bucket.keys()).toHaveLength(1)
      expect((await Process.run(["fsck"], { env })).code).toBe(0)
      expect((await site.service.stop()).code).toBe(0)
      await expect(Fs.access(data)).rejects.toThrow()
    } finally {
      await ceph.close()
      await database.close()
    }
  })
})
