/**
 * Tests of mirrors to S3, on a Ceph gateway, over HTTP against the service.
 */
import { requires } from "@holdfast/testing/Requires"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Ceph from "../support/Ceph.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as MirrorRequests from "./MirrorRequests.ts"

requires(Ceph.missing).describe("mirror to S3", () => {
  let ceph: Ceph.Ceph

  beforeAll(async () => {
    ceph = await Ceph.start()
  }, 120_000)
  afterAll(() => ceph.close())

  const to = (bucket: Pick<Ceph.Bucket, "name">) => MirrorRequests.mirrorToS3(ceph, bucket)

  const start = () => MirrorRequests.start({ env: { HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" } })

  it(
    "files uploaded, changed, renamed, removed → objects with the same bytes, headers and metadata",
    { timeout: 120_000 },
    async () => {
      const [source, bucket] = [await start(), await ceph.makeBucket()]
      const mirror = await MirrorRequests.createMirror(source, to(bucket))
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
      const file = await MirrorRequests.upload(source, description, large)
      await MirrorRequests.upload(source, { name: "empty" }, "")
      await MirrorRequests.untilCopied(source, mirror.id)
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

      // A changed header, then another name, then a removed file.
      const own = `${source.files}/${file.id}`
      await source.api.post(`${own}/headers`, { json: { name: "cache-control", value: "no-store" } })
      await MirrorRequests.untilCopied(source, mirror.id)
      expect((await bucket.get("2026/ä & b.bin")).headers.get("cache-control")).toBe("no-store")
      await source.api.patch(own, { json: { name: "c.bin", path: "/" } })
      await MirrorRequests.untilCopied(source, mirror.id)
      expect(await bucket.keys()).toEqual(["c.bin", "empty"])
      expect((await source.api.delete(own)).status).toBe(204)
      await MirrorRequests.untilCopied(source, mirror.id)
      expect(await bucket.keys()).toEqual(["empty"])

      // An object that another program removes is restored by a reconciliation.
      await bucket.remove("empty")
      const asked = await source.api.post(`${source.mirrors}/${mirror.id}/sync`)
      expect([asked.status, (await json<MirrorRequests.Mirror>(asked)).stats.comparing]).toEqual([202, true])
      const compared = async () => (await MirrorRequests.getMirror(source, mirror.id)).stats.comparing
      await expect.poll(compared, { timeout: 60_000, interval: 200 }).toBe(false)
      await MirrorRequests.untilCopied(source, mirror.id)
      expect(await bucket.keys()).toEqual(["empty"])
    }
  )

  it("create: bucket, key or address wrong → 422 with the reason and the response of the target", async () => {
    const [source, bucket] = [await start(), await ceph.makeBucket()]
    const post = async (json: object) =>
      expectProblem(await source.api.post(source.mirrors, { json }), 422, "mirror_target_unreachable")
    const problems = [
      await post({ ...to(bucket), bucketName: "there-is-none" }),
      await post({ ...to(bucket), secretAccessKey: "a-wrong-secret" }),
      await post({ ...to(bucket), accessKeyId: "no-such-key" }),
      await post({ ...to(bucket), endpoint: "http://127.0.0.1:1" })
    ]
    expect(problems.map(({ reason }) => reason)).toEqual(["NotFound", "Denied", "Denied", "Unavailable"])
    const details = problems.map(({ detail }) => detail)
    expect(new Set(details).size).toBeGreaterThanOrEqual(3)
    expect(details.join()).not.toContain("a-wrong-secret")
  })

  it("target down, or secret wrong → FAILING; up again, or right secret → copied", { timeout: 180_000 }, async () => {
    const [source, bucket] = [await start(), await ceph.makeBucket()]
    const { id } = await MirrorRequests.createMirror(source, to(bucket))
    await MirrorRequests.upload(source, { name: "before" }, "1")
    await MirrorRequests.untilCopied(source, id)
    await ceph.stop()
    await MirrorRequests.upload(source, { name: "meanwhile" }, "2")
    const failing = await MirrorRequests.untilInState(source, id, "FAILING")
    expect(failing.stats).toMatchObject({ pending: 1, copied: 1, lastError: expect.stringMatching(/./) })
    await ceph.start()
    await MirrorRequests.untilCopied(source, id)
    expect(await bucket.keys()).toEqual(["before", "meanwhile"])

    const own = `${source.mirrors}/${id}`
    const wrong = { secretAccessKey: "a-wrong-secret" }
    await expectProblem(await source.api.patch(own, { json: wrong }), 422, "mirror_target_unreachable")
    expect((await source.api.patch(own, { json: wrong, query: { verify: "false" } })).status).toBe(200)
    await MirrorRequests.upload(source, { name: "after" }, "3")
    await MirrorRequests.untilInState(source, id, "FAILING")
    const { secretAccessKey } = ceph.credentials
    expect((await source.api.patch(own, { json: { secretAccessKey } })).status).toBe(200)
    await MirrorRequests.untilCopied(source, id)
    expect(await bucket.keys()).toEqual(["after", "before", "meanwhile"])
  })
})
