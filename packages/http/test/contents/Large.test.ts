/**
 * A large content: memory does not grow with the size of a content.
 *
 * `HOLDFAST_UPLOADS=all` (`pnpm uploads`) sends more than 4 GiB, whose length takes more than 32 bits; otherwise 385 MiB, six times
 * the memory that the service may take.
 */
import { assert, describe, it } from "vitest"
import * as LargeUpload from "../support/LargeUpload.ts"
import * as ProcessMemory from "../support/ProcessMemory.ts"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"

const mebibyte = 1024 * 1024
const size = (process.env["HOLDFAST_UPLOADS"] === "all" ? 4097 : 385) * mebibyte
/** Each of the two threads that an upload starts for SQLite takes some 8 MiB, whatever the size of the content. */
const threads = 16 * mebibyte

describe(`content of ${size / mebibyte} MiB`, () => {
  it(
    "reupload, download → at most 64 MiB more memory besides the threads of the database",
    { timeout: 900_000 },
    async () => {
      const service = await Process.serve()
      const [key] = await service.untilPrinted(/hf_[\w-]{49}/)
      const { pid = 0 } = service.child
      const requests = Requests.make(`${service.url}/api/v1`, key)
      const created = async (path: string, json: object) =>
        ((await (await requests.post(path, { json })).json()) as { readonly id: string }).id
      const tenant = await created("/tenants", { name: "Large", subdomain: "large" })
      const bucket = await created(`/tenants/${tenant}/buckets`, { name: "b" })
      const files = `/tenants/${tenant}/buckets/${bucket}/files`
      const file = `${files}/${await created(files, { name: "zeros" })}`
      ProcessMemory.resetPeakMemory(pid)
      const before = ProcessMemory.readMemory(pid).now
      const { body, status } = await LargeUpload.sendZeros(`${service.url}/api/v1${file}/reupload`, key, size)
      assert.strictEqual(status, 200, body)
      assert.isAtMost(ProcessMemory.readMemory(pid).peak - before, 64 * mebibyte + threads)

      ProcessMemory.resetPeakMemory(pid)
      const beforeReading = ProcessMemory.readMemory(pid).now
      const response = await requests.get(`${file}/download`)
      let read = 0
      for await (const chunk of response.body ?? []) read += chunk.length
      assert.strictEqual(read, size)
      assert.isAtMost(ProcessMemory.readMemory(pid).peak - beforeReading, 64 * mebibyte)
      assert.strictEqual((await service.stop()).code, 0)
    }
  )
})
