/**
 * Two processes that share nothing but a database and a bucket: they share the work of a mirror as well, and one that is
 * killed in the middle of it loses nothing.
 */
import { firstMissing, requires } from "@holdfast/testing/Requires"
import { createHash, randomBytes } from "node:crypto"
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

/** The content of a file. */
const contentOf = (text: string): string => text.repeat(50)

/** Does something for all, some at a time. */
const inTurn = async <A>(all: Iterable<A>, f: (one: A) => Promise<unknown>): Promise<void> => {
  const queue = [...all]
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await f(next)
  }
  await Promise.all(Array.from({ length: 8 }, work))
}

/** Gives every third file another name, another content, or an end. */
const change = async ({ api, files }: Site.Site, id: string, index: number): Promise<void> => {
  const own = `${files}/${id}`
  const answer = await (index % 3 === 0
    ? api.patch(own, { json: { path: "/renamed/", name: `${index} ü.txt` } })
    : index % 3 === 1
      ? api.post(`${own}/reupload`, { body: contentOf(`another ${index}`) })
      : api.delete(own))
  expect(answer.ok).toBe(true)
}

const sha256 = (bytes: ArrayBuffer): string => createHash("sha256").update(new Uint8Array(bytes)).digest("hex")

/** Checks that a target holds what the bucket does, byte by byte, and nothing else. */
const expectEqual = async (site: Site.Site, target: Ceph.Bucket): Promise<void> => {
  const wanted = [...(await Site.listFiles(site))].map(([name, { checksum }]) => [name.slice(1), checksum.sha256])
  const found: Array<readonly [string, string]> = []
  await inTurn(await target.keys(), async (key) => {
    found.push([key, sha256(await (await target.get(key)).arrayBuffer())])
  })
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
}

requires(firstMissing(Ceph.missing, Database.missing)).describe("two nodes", () => {
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
      ...ceph.settings(blobs.name),
      HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64"),
      HOLDFAST_ROOT_KEY: rootKey,
      HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on",
      HOLDFAST_ACCESS_LOG: "off",
      HOLDFAST_CONVERSIONS: "0"
    }
    const data = Path.join(await Process.makeDirectory(), "never-made")
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

    const uploadAll = (from: number, to: number, turn: (index: number) => Site.Site) =>
      inTurn(
        Array.from({ length: to - from }, (_, index) => from + index),
        (index) => Site.upload(turn(index), { name: `${index}.txt`, path: "/n/" }, contentOf(String(index)))
      )
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

    // In the midst of the work, with both at it, one is killed while the other goes on changing files.
    await expect
      .poll(async () => (await Promise.all(nodes.map(copiedBy))).every((copied) => copied > 0), {
        timeout: 60_000,
        interval: 20
      })
      .toBe(true)
    const files = [...(await Site.listFiles(two)).values()].slice(0, 120)
    const changes = inTurn(files.keys(), (index) => change(two, files[index]?.id ?? "", index))
    await nodes[0].stop("SIGKILL")
    await changes
    await uploadAll(count, count + 40, () => two)
    expect((await Site.settled(two, mirror.id)).stats.copied).toBe(count)
    await expectEqual(two, target)

    // A node that comes back takes part again, and what it is told holds for all.
    const again = await Process.serve({ env, data })
    const three = Site.at(Requests.make(`${again.url}/api/v1`, rootKey), { tenantId, bucketId })
    const [gone] = (await Site.listFiles(three)).values()
    expect((await three.api.delete(`${three.files}/${gone?.id}`)).status).toBe(204)
    await Site.settled(two, mirror.id)
    await expectEqual(three, target)
    await expect(Fs.access(data)).rejects.toThrow()
    expect((await again.stop()).code).toBe(0)
    expect((await nodes[1].stop()).code).toBe(0)
    const fsck = await Process.run(["fsck"], { env })
    expect(fsck.stdout + fsck.stderr).toMatch(/ 0 left/)
  })
})
