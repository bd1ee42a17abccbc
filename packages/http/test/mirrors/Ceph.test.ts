/**
 * Mirrors to a bucket of S3, on a real gateway, through the real service.
 */
import { requires } from "@holdfast/testing/Requires"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Ceph from "../support/Ceph.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as Site from "./Site.ts"

requires(Ceph.missing).describe("a mirror to S3", () => {
  let ceph: Ceph.Ceph

  beforeAll(async () => {
    ceph = await Ceph.start()
  }, 120_000)
  afterAll(() => ceph.close())

  const to = (bucket: Pick<Ceph.Bucket, "name">) => Site.toBucket(ceph, bucket)

  const start = () => Site.start({ env: { HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" } })

  it(
    "keeps objects with their headers and metadata, renamed and removed as the files are",
    { timeout: 120_000 },
    async () => {
      const [site, bucket] = [await start(), await ceph.makeBucket()]
      const mirror = await Site.createMirror(site, to(bucket))
      expect(mirror).toMatchObject({
        type: "CLOUD_A",
        bucketName: bucket.name,
        region: "us-east-1",
        accessKeyId: ceph.credentials.accessKeyId,
        endpoint: ceph.endpoint,
        forcePathStyle: true
      })
      expect(JSON.stringify(mirror)).not.toContain(ceph.credentials.secretAccessKey)

      const large = new Uint8Array(20_000_000).map((_, index) => index * 31)
      const headers = [
        { name: "cache-control", value: "max-age=60" },
        { name: "x-origin", value: "import" }
      ]
      const description = { name: "ä & b.bin", path: "/2026/", metadata: { camera: "X100" }, headers }
      const file = await Site.upload(site, description, large)
      await Site.upload(site, { name: "empty" }, "")
      await Site.settled(site, mirror.id)
      expect(await bucket.keys()).toEqual(["2026/ä & b.bin", "empty"])
      const object = await bucket.get("2026/ä & b.bin")
      expect(Object.fromEntries(object.headers)).toMatchObject({
        "cache-control": "max-age=60",
        "content-type": "application/octet-stream",
        "x-amz-meta-x-origin": "import",
        "x-amz-meta-meta-camera": "X100",
        "x-amz-meta-holdfast-file": file.id,
        "x-amz-meta-holdfast-sha256": file.checksum.sha256
      })
      expect(Buffer.compare(Buffer.from(await object.arrayBuffer()), Buffer.from(large))).toBe(0)

      // Another header alone, then another name, then no file.
      const own = `${site.files}/${file.id}`
      await site.api.post(`${own}/headers`, { json: { name: "cache-control", value: "no-store" } })
      await Site.settled(site, mirror.id)
      expect((await bucket.get("2026/ä & b.bin")).headers.get("cache-control")).toBe("no-store")
      await site.api.patch(own, { json: { name: "c.bin", path: "/" } })
      await Site.settled(site, mirror.id)
      expect(await bucket.keys()).toEqual(["c.bin", "empty"])
      expect((await site.api.delete(own)).status).toBe(204)
      await Site.settled(site, mirror.id)
      expect(await bucket.keys()).toEqual(["empty"])

      // What somebody removed there comes back with a comparison.
      await bucket.remove("empty")
      const asked = await site.api.post(`${site.mirrors}/${mirror.id}/sync`)
      expect([asked.status, (await json<Site.Mirror>(asked)).stats.comparing]).toEqual([202, true])
      const compared = async () => (await Site.getMirror(site, mirror.id)).stats.comparing
      await expect.poll(compared, { timeout: 60_000, interval: 200 }).toBe(false)
      await Site.settled(site, mirror.id)
      expect(await bucket.keys()).toEqual(["empty"])
    }
  )

  it("says why a target does not do, in the target's own words", async () => {
    const [site, bucket] = [await start(), await ceph.makeBucket()]
    const post = async (json: object) =>
      expectProblem(await site.api.post(site.mirrors, { json }), 422, "mirror_target_unreachable")
    const problems = [
      await post({ ...to(bucket), bucketName: "there-is-none" }),
      await post({ ...to(bucket), secretAccessKey: "nobody-knows-it" }),
      await post({ ...to(bucket), accessKeyId: "nobody" }),
      await post({ ...to(bucket), endpoint: "http://127.0.0.1:1" })
    ]
    expect(problems.map(({ reason }) => reason)).toEqual(["NotFound", "Denied", "Denied", "Unavailable"])
    const details = problems.map(({ detail }) => detail)
    expect(new Set(details).size).toBeGreaterThanOrEqual(3)
    expect(details.join()).not.toContain("nobody-knows-it")
  })

  it("fails while the target does, and recovers, also with another secret", { timeout: 180_000 }, async () => {
    const [site, bucket] = [await start(), await ceph.makeBucket()]
    const { id } = await Site.createMirror(site, to(bucket))
    await Site.upload(site, { name: "before" }, "1")
    await Site.settled(site, id)
    await ceph.stop()
    await Site.upload(site, { name: "meanwhile" }, "2")
    const failing = await Site.inState(site, id, "FAILING")
    expect(failing.stats).toMatchObject({ pending: 1, copied: 1, lastError: expect.stringMatching(/./) })
    await ceph.start()
    await Site.settled(site, id)
    expect(await bucket.keys()).toEqual(["before", "meanwhile"])

    const own = `${site.mirrors}/${id}`
    const wrong = { secretAccessKey: "nobody-knows-it" }
    await expectProblem(await site.api.patch(own, { json: wrong }), 422, "mirror_target_unreachable")
    expect((await site.api.patch(own, { json: wrong, query: { verify: "false" } })).status).toBe(200)
    await Site.upload(site, { name: "after" }, "3")
    await Site.inState(site, id, "FAILING")
    const { secretAccessKey } = ceph.credentials
    expect((await site.api.patch(own, { json: { secretAccessKey } })).status).toBe(200)
    await Site.settled(site, id)
    expect(await bucket.keys()).toEqual(["after", "before", "meanwhile"])
  })
})
