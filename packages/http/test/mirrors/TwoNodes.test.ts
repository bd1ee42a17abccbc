/**
 * A test of two nodes that share a database and a bucket: both copy files of one mirror, and a node that is killed loses no work.
 */
import { requires } from "@holdfast/testing/Requires"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { expect, it } from "vitest"
import type * as Ceph from "../support/Ceph.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"
import * as SharedStores from "../support/SharedStores.ts"
import * as MirrorRequests from "./MirrorRequests.ts"

const count = 400

/** Returns how many files a node has copied. */
const copiedBy = async (service: Process.Service): Promise<number> => {
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  const [, value = "0"] = /^holdfast_mirrors_copied_total(?:\{[^}]*\})? (\d+)/m.exec(metrics) ?? []
  return Number(value)
}

/** Returns a content. */
const contentOf = (text: string): string => text.repeat(50)

/** Calls a function for all values, for eight at a time. */
const forEachConcurrently = async <A>(all: Iterable<A>, f: (one: A) => Promise<unknown>): Promise<void> => {
  const queue = [...all]
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await f(next)
  }
  await Promise.all(Array.from({ length: 8 }, work))
}

/** Renames, overwrites or removes a file, each for a third of the indexes. */
const change = async ({ api, files }: MirrorRequests.BucketApi, id: string, index: number): Promise<void> => {
  const own = `${files}/${id}`
  const answer = await (index % 3 === 0
    ? api.patch(own, { json: { path: "/renamed/", name: `${index} ü.txt` } })
    : index % 3 === 1
      ? api.post(`${own}/reupload`, { body: contentOf(`another ${index}`) })
      : api.delete(own))
  expect(answer.ok).toBe(true)
}

const sha256 = (bytes: ArrayBuffer): string => createHash("sha256").update(new Uint8Array(bytes)).digest("hex")

/** Checks that a target has the same objects as the bucket has files, byte by byte. */
const expectEqual = async (source: MirrorRequests.BucketApi, target: Ceph.Bucket): Promise<void> => {
  const wanted = [...(await MirrorRequests.listFiles(source))].map(([name, { checksum }]) => [
    name.slice(1),
    checksum.sha256
  ])
  const found: Array<readonly [string, string]> = []
  await forEachConcurrently(await target.keys(), async (key) => {
    found.push([key, sha256(await (await target.get(key)).arrayBuffer())])
  })
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
}

requires(SharedStores.missing).describe("two nodes", () => {
  const stores = SharedStores.useSharedStores()

  it(
    "one of two nodes killed while both copy, files changed meanwhile → the target equals the bucket",
    { timeout: 480_000 },
    async () => {
      const ceph = stores.ceph()
      const target = await ceph.makeBucket()
      const { env: shared, rootKey } = await stores.make()
      const env = {
        ...shared,
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
        ((await (await first.post(path, { json })).json()) as MirrorRequests.Mirror).id
      const tenantId = await created("/tenants", { name: "T", subdomain: "two" })
      const bucketId = await created(`/tenants/${tenantId}/buckets`, { name: "b" })
      const [one, two] = [
        MirrorRequests.fromIds(first, { tenantId, bucketId }),
        MirrorRequests.fromIds(second, { tenantId, bucketId })
      ]

      const uploadAll = (from: number, to: number, turn: (index: number) => MirrorRequests.BucketApi) =>
        forEachConcurrently(
          Array.from({ length: to - from }, (_, index) => from + index),
          (index) => MirrorRequests.upload(turn(index), { name: `${index}.txt`, path: "/n/" }, contentOf(String(index)))
        )
      await uploadAll(0, count, (index) => (index % 2 === 0 ? one : two))
      const mirror = await MirrorRequests.createMirror(two, {
        name: "Second site",
        type: "S3",
        region: "us-east-1",
        bucketName: target.name,
        endpoint: ceph.endpoint,
        forcePathStyle: true,
        ...ceph.credentials
      })

      // Once both nodes have copied files, one is killed, while files are changed through the other one.
      await expect
        .poll(async () => (await Promise.all(nodes.map(copiedBy))).every((copied) => copied > 0), {
          timeout: 60_000,
          interval: 20
        })
        .toBe(true)
      const files = [...(await MirrorRequests.listFiles(two)).values()].slice(0, 120)
      const changes = forEachConcurrently(files.keys(), (index) => change(two, files[index]?.id ?? "", index))
      await nodes[0].stop("SIGKILL")
      await changes
      await uploadAll(count, count + 40, () => two)
      expect((await MirrorRequests.untilCopied(two, mirror.id)).stats.copied).toBe(count)
      await expectEqual(two, target)

      // A restarted node works again, and its changes are copied.
      const again = await Process.serve({ env, data })
      const three = MirrorRequests.fromIds(Requests.make(`${again.url}/api/v1`, rootKey), { tenantId, bucketId })
      const [gone] = (await MirrorRequests.listFiles(three)).values()
      expect((await three.api.delete(`${three.files}/${gone?.id}`)).status).toBe(204)
      await MirrorRequests.untilCopied(two, mirror.id)
      await expectEqual(three, target)
      await expect(Fs.access(data)).rejects.toThrow()
      expect((await again.stop()).code).toBe(0)
      expect((await nodes[1].stop()).code).toBe(0)
      const fsck = await Process.run(["fsck"], { env })
      expect(fsck.stdout + fsck.stderr).toMatch(/ 0 not repaired/)
    }
  )
})
