/**
 * A file of 2 GiB, mirrored by the real service: memory does not grow with it.
 */
import { firstMissing, requires } from "@holdfast/testing/Requires"
import { totalmem } from "node:os"
import { expect, it } from "vitest"
import * as Ceph from "../support/Ceph.ts"
import * as LargeUpload from "../support/LargeUpload.ts"
import * as ProcessMemory from "../support/ProcessMemory.ts"
import * as Site from "./Site.ts"

const mebibyte = 1024 * 1024
const size = 2048 * mebibyte

const tooSmall = totalmem() < 3 * size ? "the gateway would keep 2 GiB in less than 6 GiB of memory" : undefined

requires(firstMissing(Ceph.missing, tooSmall)).describe("a mirror of 2 GiB", () => {
  it("is copied within 96 MiB of memory", { timeout: 300_000 }, async () => {
    const ceph = await Ceph.start(2 * size)
    try {
      const site = await Site.start({ env: { HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" } })
      const bucket = await ceph.makeBucket()
      const file = await Site.upload(site, { name: "zeros" }, "")
      const url = `${site.service.url}/api/v1${site.files}/${file.id}/reupload`
      expect((await LargeUpload.sendZeros(url, site.key, size)).status).toBe(200)

      const { pid = 0 } = site.service.child
      ProcessMemory.resetPeakMemory(pid)
      const before = ProcessMemory.readMemory(pid).now
      const mirror = await Site.createMirror(site, Site.toBucket(ceph, bucket))
      await expect
        .poll(async () => (await Site.getMirror(site, mirror.id)).stats.copied, { timeout: 240_000, interval: 200 })
        .toBe(1)
      expect(ProcessMemory.readMemory(pid).peak - before).toBeLessThanOrEqual(96 * mebibyte)
      const object = await bucket.get("zeros")
      expect(object.headers.get("content-length")).toBe(String(size))
      await object.body?.cancel()
    } finally {
      await ceph.close()
    }
  })
})
