import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { digest, hex } from "../support/Hashes.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface File {
  readonly id: string
  readonly etag: string
}

const limit = 2 * 1024 * 1024
let server: TestServer.TestServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
let files: string
beforeAll(async () => {
  server = await TestServer.start({ settings: { maxUploadBytes: limit } })
  bucket = await server.makeBucket()
  files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
})
afterAll(() => server.close())

describe("reupload", () => {
  const reupload = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    server.post(`${path}/reupload`, { body, headers: { "content-type": "application/octet-stream", ...headers } })

  it("is the second step after a reservation", async () => {
    const { id } = await json<File>(await server.post(files, { json: { name: "two-step.bin" } }))
    const content = randomBytes(300_000)
    const answer = await reupload(`${files}/${id}`, content)
    expect(answer.status).toBe(200)
    expect(await json(answer)).toMatchObject({ id, version: 1, state: "READY", checksum: { sha256: hex(content) } })
    const bytes = Buffer.from(await (await server.get(`${files}/${id}/download`)).arrayBuffer())
    expect(bytes.equals(content)).toBe(true)
  })

  it("keeps id, headers, alias and metadata, and counts the version up", async () => {
    const file = await server.makeFile(bucket, "old", { alias: "kept", metadata: { a: 1 } })
    await server.post(`${file.path}/headers`, { json: { name: "x-kept", value: "yes" } })
    const answer = await reupload(`${files}/@kept`, "new", { "content-type": "text/css" })
    expect(await json(answer)).toMatchObject({
      id: file.id,
      alias: "kept",
      metadata: { a: 1 },
      headers: [{ name: "x-kept", value: "yes" }],
      version: 2,
      contentType: "text/css",
      etag: `"${hex("new")}"`
    })
    const view = await server.get(`${file.path}/view`)
    expect([await view.text(), view.headers.get("x-kept")]).toEqual(["new", "yes"])
  })

  it("honours If-Match, If-None-Match and digests", async () => {
    const file = await server.makeFile(bucket, "one")
    const { etag } = await json<File>(await server.get(file.path))
    await expectProblem(await reupload(file.path, "x", { "if-match": '"other"' }), 412, "precondition_failed")
    await expectProblem(await reupload(file.path, "x", { "if-none-match": "*" }), 412, "precondition_failed")
    await expectProblem(await reupload(file.path, "x", { "repr-digest": digest("y") }), 400, "checksum_mismatch")
    await expectProblem(await reupload(file.path, "x", { "repr-digest": "sha-256=x" }), 400, "invalid_request")
    expect(await (await server.get(`${file.path}/view`)).text()).toBe("one")
    expect((await reupload(file.path, "two", { "if-match": etag, "repr-digest": digest("two") })).status).toBe(200)
  })

  it("refuses more than the limit", async () => {
    const file = await server.makeFile(bucket, "one")
    await expectProblem(await reupload(file.path, new Uint8Array(limit + 1)), 413, "content_too_large")
    expect(await (await server.get(`${file.path}/view`)).text()).toBe("one")
  })

  it("of a file that is not there is 404", async () => {
    await expectProblem(await reupload(`${files}/@nobody`, "x"), 404, "not_found")
  })
})
