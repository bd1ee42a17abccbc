/**
 * The standalone service detaches the memory of each chunk of a body once it is written. The stored contents must be correct
 * all the same.
 */
import * as Generate from "@holdfast/testing/data/Generate"
import { assert, describe, it } from "vitest"
import * as Process from "../support/Process.ts"
import * as Requests from "../support/Requests.ts"

const boundary = "----boundary-of-this-form"

/** Random bytes with many prefixes of the boundary, so that the parser cuts the form at unusual positions. */
const content = (seed: number): Buffer => {
  const bytes = Buffer.from(Generate.bytes(seed, 8 * 1024 * 1024 + seed))
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  for (let at = seed; at + delimiter.length < bytes.length; at += 4099) {
    const end = delimiter.copy(bytes, at, 0, 1 + (at % (delimiter.length - 1)))
    bytes[at + end] = 0
  }
  return bytes
}

const form = (name: string, bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`)
  ])

describe("detached chunks", () => {
  it("concurrent uploads of forms and raw bodies → contents stored as sent", { timeout: 120_000 }, async () => {
    const service = await Process.serve()
    const [key] = await service.untilPrinted(/hf_[\w-]{49}/)
    const api = Requests.make(`${service.url}/api/v1`, key)
    const created = async (pending: Promise<Response>): Promise<string> => {
      const response = await pending
      assert.strictEqual(response.status, 201)
      return ((await response.json()) as { readonly id: string }).id
    }
    const tenant = await created(api.post("/tenants", { json: { name: "Freed", subdomain: "freed" } }))
    const bucket = await created(api.post(`/tenants/${tenant}/buckets`, { json: { name: "b" } }))
    const files = `/tenants/${tenant}/buckets/${bucket}/files`

    const uploads = Array.from({ length: 8 }, async (_, index) => {
      const bytes = content(index)
      const headers = { "content-type": `multipart/form-data; boundary=${boundary}` }
      const id = await created(api.post(`${files}/upload`, { body: form(`${index}.bin`, bytes), headers }))
      const check = async (expected: Buffer): Promise<void> => {
        const stored = await (await api.get(`${files}/${id}/download`)).arrayBuffer()
        assert.isTrue(expected.equals(new Uint8Array(stored)))
      }
      await check(bytes)
      const other = content(index + 100)
      assert.strictEqual((await api.post(`${files}/${id}/reupload`, { body: other })).status, 200)
      await check(other)
    })
    await Promise.all(uploads)
    assert.strictEqual((await service.stop()).code, 0)
  })
})
