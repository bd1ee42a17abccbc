/**
 * Two processes that share nothing but a database and a bucket: they share the work of a mirror as well, and one that is
 * killed in the middle of it loses nothing.
 */
import { all, requires } from "@holdfast/testing/Requires"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Ceph from "../support/Ceph.ts"
import * as Database from "../support/Database.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as Site from "./Site.ts"

const count = 400

/** How many files a node has copied. */
const copiedBy = async (service: Process.Service): Promise<number> => {
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  const [, value = "0"] = /^holdfast_mirrors_copied_total(?:\{[^}]*\})? (\d+)/m.exec(metrics) ?? []
  return Number(value)
}

const sum = (text: string): string => text.repeat(50)

requires(all(Ceph.missing, Database.missing)).describe("two nodes", () => {
  let ceph: Ceph.Ceph
  let database: Database.Database

  beforeAll(async () => {
    ceph = await Ceph.start()
    database = await Database.start()
  }, 120_000)
  afterAll(async () => {
    await ceph.close()
    await database.close()
  })

  it("share a mirror's work, and one that is killed loses nothing", { timeout: 240_000 }, async () => {
    const [blobs, target] = [await ceph.makeBucket(), await ceph.makeBucket()]
    const rootKey = (await Process.run(["keys", "generate"])).stdout.trim()
    const env = {
      DATABASE_URL: await database.create(),
      HOLDFAST_BLOBS: "s3",
      HOLDFAST_S3_BUCKET: blobs.name,
      HOLDFAST_S3_ENDPOINT: ceph.endpoint,
      HOLDFAST_S3_FORCE_PATH_STYLE: "on",
      HOLDFAST_S3_ACCESS_KEY_ID: ceph.credentials.accessKeyId,
      HOLDFAST_S3_SECRET_ACCESS_KEY: ceph.credentials.secretAccessKey,
      HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64"),
      HOLDFAST_ROOT_KEY: rootKey,
      HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on",
      HOLDFAST_ACCESS_LOG: "off",
      HOLDFAST_CONVERSIONS: "0"
    }
    const data = Path.join(await Process.directory(), "never-made")
    const nodes = [await Process.serve({ env, data }), await Process.serve({ env, data })] as const
    const [first, second] = nodes.map(({ url }) => Requests.make(`${url}/api/v1`, rootKey)) as [
      Requests.Requests,
      Requests.Requests
    ]
    const created = async (path: string, json: object) =>
      ((await (await first.post(path, { json })).json()) as Site.Mirror).id
    const tenantId = await created("/tenants", { name: "T", subdomain: "two" })
    const bucketId = await created(`/tenants/${tenantId}/buckets`, { name: "b" })
    const [one, two] = [Site.at(first, { tenantId, bucketId }), Site.at(second, { tenantId, bucketId })]

    const uploadAll = async (from: number, to: number, turn: (index: number) => Site.Site) => {
      const indexes = Array.from({ length: to - from }, (_, index) => from + index)
      await Promise.all(
        Array.from({ length: 8 }, async (_, worker) => {
          for (const index of indexes.filter((one) => one % 8 === worker)) {
            await Site.upload(turn(index), { name: `${index}.txt`, path: "/n/" }, sum(String(index)))
          }
        })
      )
    }
    await uploadAll(0, count, (index) => (index % 2 === 0 ? one : two))
    const mirror = await Site.createMirror(two, {
      name: "Second site",
      type: "S3",
      region: "us-east-1",
      bucketName: target.name,
      endpoint: ceph.endpoint,
      forcePathStyle: true,
      ...ceph.credentials
    })

    // In the midst of the work, with both at it.
    await expect
      .poll(async () => (await Promise.all(nodes.map(copiedBy))).every((copied) => copied > 0), {
        timeout: 60_000,
        interval: 20
      })
      .toBe(true)
    await nodes[0].stop("SIGKILL")
    await uploadAll(count, count + 40, () => two)
    await expect
      .poll(async () => (await Site.getMirror(two, mirror.id)).stats.pending, { timeout: 120_000, interval: 200 })
      .toBe(0)
    expect(await Site.getMirror(two, mirror.id)).toMatchObject({ state: "ACTIVE", stats: { copied: count + 40 } })
    const names = Array.from({ length: count + 40 }, (_, index) => `n/${index}.txt`)
    expect(await target.keys()).toEqual(names.toSorted())
    for (const index of [0, 1, count - 1, count, count + 39]) {
      expect(await (await target.get(`n/${index}.txt`)).text()).toBe(sum(String(index)))
    }

    // A node that comes back takes part again, and what it is told holds for all.
    const again = await Process.serve({ env, data })
    const three = Site.at(Requests.make(`${again.url}/api/v1`, rootKey), { tenantId, bucketId })
    const gone = (await Site.listFiles(three)).get("/n/0.txt")
    expect((await three.api.delete(`${three.files}/${gone?.id}`)).status).toBe(204)
    await Site.settled(two, mirror.id)
    expect(await target.keys()).toEqual(names.slice(1).toSorted())
    await expect(Fs.access(data)).rejects.toThrow()
    expect((await again.stop()).code).toBe(0)
    expect((await nodes[1].stop()).code).toBe(0)
    const fsck = await Process.run(["fsck"], { env })
    expect(fsck.stdout + fsck.stderr).toMatch(/ 0 left/)
  })
})
