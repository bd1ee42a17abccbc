/**
 * A test that the memory of the service does not grow with the size of a mirrored file.
 */
import { firstMissing, requires } from "@holdfast/testing/Requires"
import { totalmem } from "node:os"
import { expect, it } from "vitest"
import * as Ceph from "../support/Ceph.ts"
import * as LargeUpload from "../support/LargeUpload.ts"
import * as ProcessMemory from "../support/ProcessMemory.ts"
import * as MirrorRequests from "./MirrorRequests.ts"

const mebibyte = 1024 * 1024
/** Several times the memory that the copy may take. */
const size = 512 * mebibyte
/** Each of the two threads that the copy starts for SQLite takes some 8 MiB, whatever the size of the file. */
const threads = 16 * mebibyte

const tooSmall =
  totalmem() < 6 * size ? "less than 3 GiB of memory, of which the gateway needs 512 MiB for the object" : undefined

requires(firstMissing(Ceph.missing, tooSmall)).describe("mirror to S3", () => {
  it(
    "file of 512 MiB → copied within 96 MiB of additional memory besides the threads of the database",
    { timeout: 300_000 },
    async () => {
      const ceph = await Ceph.start(2 * size)
      try {
        const source = await MirrorRequests.start({ env: { HOLDFAST_MIRRORS_ALLOW_PRIVATE: "on" } })
        const bucket = await ceph.makeBucket()
        const file = await MirrorRequests.upload(source, { name: "zeros" }, "")
        const url = `${source.service.url}/api/v1${source.files}/${file.id}/reupload`
        expect((await LargeUpload.sendZeros(url, source.key, size)).status).toBe(200)

        const { pid = 0 } = source.service.child
        ProcessMemory.resetPeakMemory(pid)
        const before = ProcessMemory.readMemory(pid).now
        const mirror = await MirrorRequests.createMirror(source, MirrorRequests.mirrorToS3(ceph, bucket))
        await expect
          .poll(async () => (await MirrorRequests.getMirror(source, mirror.id)).stats.copied, {
            timeout: 480_000,
            interval: 200
          })
          .toBe(1)
        expect(ProcessMemory.readMemory(pid).peak - before).toBeLessThanOrEqual(96 * mebibyte + threads)
        const object = await bucket.get("zeros")
        expect(object.headers.get("content-length")).toBe(String(size))
        await object.body?.cancel()
      } finally {
        await ceph.close()
      }
    }
  )
})
