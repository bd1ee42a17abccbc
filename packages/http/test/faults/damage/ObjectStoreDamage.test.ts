/**
 * Objects that change behind the service, in a real object store.
 */
import { requires } from "@holdfast/testing/Requires"
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as MirrorRequests from "../../mirrors/MirrorRequests.ts"
import * as Ceph from "../../support/Ceph.ts"
import { json } from "../../support/Problems.ts"
import * as Process from "../../support/Process.ts"

type Source = Awaited<ReturnType<typeof MirrorRequests.start>>

requires(Ceph.missing).describe("contents in S3", () => {
  let ceph: Ceph.Ceph
  beforeAll(async () => {
    ceph = await Ceph.start()
  }, 120_000)
  afterAll(() => ceph.close())

  const start = async () => {
    const bucket = await ceph.makeBucket()
    // The scrub of the service would find the damage before the test has damaged everything.
    const env = { ...ceph.settings(bucket.name), HOLDFAST_SCRUB_PERIOD: "0" }
    const source = await MirrorRequests.start({ env })
    const contents = [10, 70_000, 3_000_000, 6_000_000].map((size) => randomBytes(size))
    const upload = (content: Uint8Array<ArrayBuffer>, index: number) =>
      MirrorRequests.upload(source, { name: `${index}.bin`, path: "/" }, content)
    const uploadAll = async () => {
      const ids: Array<string> = []
      for (const [index, content] of contents.entries()) ids.push((await upload(content, index)).id)
      return ids
    }
    /** The objects of the source, in the order of the uploads. */
    const listObjects = async () =>
      (await bucket.keys())
        .filter((key) => key.includes(source.bucketId))
        .toSorted((a, b) => ((a.split("/").at(-1) ?? "") < (b.split("/").at(-1) ?? "") ? -1 : 1))
    const flipBit = async (key: string) => {
      const bytes = new Uint8Array(await (await bucket.get(key)).arrayBuffer())
      const middle = bytes.length >> 1
      bytes[middle] = (bytes[middle] ?? 0) ^ 1
      expect((await bucket.put(key, bytes)).status).toBe(200)
    }
    const scrub = () => Process.run(["scrub", "--data-dir", source.service.data], { env })
    return { bucket, source, contents, uploadAll, listObjects, flipBit, scrub }
  }

  const isDamaged = async ({ api, files }: Source, id: string): Promise<boolean> =>
    (await json<{ readonly damaged: boolean }>(await api.get(`${files}/${id}`))).damaged

  const codeOf = async (response: Response) => [response.status, (await json<{ readonly code: string }>(response)).code]

  it(
    "bits flipped, object cut, object missing → found by HEAD, reads and the scrub; then 500",
    { timeout: 120_000 },
    async () => {
      const { bucket, contents, flipBit, listObjects, scrub, source, uploadAll } = await start()
      const [small = "", cut = "", large = "", missing = ""] = await uploadAll()
      const [smallKey = "", cutKey = "", largeKey = "", missingKey = ""] = await listObjects()
      await flipBit(smallKey)
      await flipBit(largeKey)
      expect((await bucket.put(cutKey, new Uint8Array(contents[1] ?? []).slice(1))).status).toBe(200)
      expect((await bucket.remove(missingKey)).status).toBe(204)
      const view = (id: string) => source.api.get(`${source.files}/${id}/view`)
      const head = (id: string) => source.api.head(`${source.files}/${id}/view`)

      expect((await head(missing)).status).toBe(500)
      expect((await head(cut)).status).toBe(500)
      for (const id of [missing, cut]) {
        expect(await codeOf(await view(id))).toEqual([500, "content_damaged"])
        await expect.poll(() => isDamaged(source, id), { timeout: 30_000 }).toBe(true)
      }
      const found = await scrub()
      expect(found.code).toBe(1)
      expect(found.stdout).toMatch(/4 contents, .*: 4 damaged, 0 repaired, 0 could not be read\.\n$/)
      for (const id of [small, cut, large, missing]) {
        expect(await isDamaged(source, id)).toBe(true)
        expect(await codeOf(await view(id))).toEqual([500, "content_damaged"])
        expect((await head(id)).status).toBe(500)
      }
    }
  )

  it("bits flipped, object cut, object missing; copies at a mirror → repaired", { timeout: 120_000 }, async () => {
    const { bucket, contents, flipBit, listObjects, scrub, source, uploadAll } = await start()
    const target = await MirrorRequests.createTarget(source.api, "target")
    const mirror = await MirrorRequests.createMirror(source, MirrorRequests.mirrorToTenant(target))
    const ids = await uploadAll()
    await MirrorRequests.untilCopied(source, mirror.id)
    const keys = await listObjects()
    const [smallKey = "", cutKey = "", largeKey = "", missingKey = ""] = keys
    await flipBit(smallKey)
    await flipBit(largeKey)
    expect((await bucket.put(cutKey, new Uint8Array(3))).status).toBe(200)
    expect((await bucket.remove(missingKey)).status).toBe(204)
    expect((await scrub()).stdout).toMatch(/: 4 damaged, 0 repaired/)
    for (const [index, id] of ids.entries()) {
      await expect.poll(() => isDamaged(source, id), { timeout: 60_000, interval: 100 }).toBe(false)
      const answer = await source.api.get(`${source.files}/${id}/view`)
      expect([
        answer.status,
        Buffer.from(await answer.arrayBuffer()).equals(contents[index] ?? Buffer.alloc(0))
      ]).toEqual([200, true])
    }
    expect(await listObjects()).toEqual(keys)
    expect(await scrub()).toMatchObject({ code: 0 })
  })
})
