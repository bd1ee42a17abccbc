import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { form } from "../contents/Forms.ts"
import { digestHeader, sha256Hex } from "../support/Hashes.ts"
import { expectProblem, json, pointers } from "../support/Problems.ts"
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

const upload = (body: FormData, headers: Record<string, string> = {}) =>
  server.post(`${files}/upload`, { body, headers })
const text = (content: string) => new Blob([content], { type: "text/plain" })

describe("upload", () => {
  it("parts in either order → 201 with the record and its Location", async () => {
    const body = (name: string) => JSON.stringify({ name, path: "/in/", alias: name, metadata: { a: 1 } })
    const first = await upload(form(["body", body("one")], ["file", text("1"), "x.txt"]))
    const last = await upload(form(["file", text("1"), "x.txt"], ["body", body("two")]))
    for (const [response, name] of [
      [first, "one"],
      [last, "two"]
    ] as const) {
      const file = await json<File>(response)
      expect(response.status).toBe(201)
      expect(response.headers.get("location")).toBe(`/api/v1${files}/${file.id}`)
      expect(file).toMatchObject({
        name,
        path: "/in/",
        alias: name,
        metadata: { a: 1 },
        contentType: "text/plain",
        etag: `"${sha256Hex("1")}"`,
        checksum: { sha256: sha256Hex("1") },
        version: 1,
        state: "READY"
      })
    }
  })

  it("body without name → the file name of the part", async () => {
    const bare = await upload(form(["file", text("1"), "part.txt"]))
    expect(await json(bare)).toMatchObject({ name: "part.txt", path: "/" })
    const placed = await upload(form(["file", text("1"), "part.txt"], ["body", '{"path":"/p/"}']))
    expect(await json(placed)).toMatchObject({ name: "part.txt", path: "/p/" })
  })

  it("empty file, file of exactly the limit → 201", async () => {
    const empty = await upload(form(["file", new Blob([]), "empty.bin"]))
    expect(await json(empty)).toMatchObject({ version: 1, state: "READY", checksum: { sha256: sha256Hex("") } })
    const most = randomBytes(limit)
    const full = await upload(form(["file", new Blob([most]), "full.bin"]))
    expect(await json(full)).toMatchObject({ checksum: { sha256: sha256Hex(most) } })
  })

  it("file above the limit → 413", async () => {
    const response = await upload(form(["file", new Blob([new Uint8Array(limit + 1)]), "big.bin"]))
    await expectProblem(response, 413, "content_too_large")
  })

  it.each([
    ["no file", form(["body", '{"name":"x"}']), ["/file"]],
    ["a body that is not JSON", form(["body", "{"], ["file", text("1"), "a"]), ["/body"]],
    [
      "a body with faults, before the file",
      form(["body", '{"name":1,"path":"/../"}'], ["file", text("1"), "a"]),
      ["/name", "/path"]
    ],
    ["a body with faults, after the file", form(["file", text("1"), "a"], ["body", '{"name":"a/b"}']), ["/name"]],
    ["a body that is not an object", form(["body", "7"], ["file", text("1"), "a"]), [""]]
  ])("form with %s → 400", async (_, body, expected) => {
    expect(pointers(await expectProblem(await upload(body), 400, "invalid_request"))).toEqual(expected)
  })

  it("another media type → 415", async () => {
    const response = await server.post(`${files}/upload`, { json: { name: "x" } })
    await expectProblem(response, 415, "unsupported_media_type")
  })

  it("declared digest matches → 201; differs → 400, nothing is stored", async () => {
    const right = await upload(form(["file", text("d"), "digest.txt"]), { "repr-digest": digestHeader("d") })
    expect(right.status).toBe(201)
    const wrong = await upload(form(["file", text("d"), "wrong.txt"]), { "content-digest": digestHeader("x") })
    await expectProblem(wrong, 400, "checksum_mismatch")
    const again = await upload(form(["file", text("d"), "wrong.txt"]))
    expect(again.status).toBe(201)
  })

  it("name taken → 409 with existingId; with If-None-Match: * → 412", async () => {
    const { id } = await json<File>(await upload(form(["file", text("1"), "taken.txt"])))
    const again = await upload(form(["file", text("2"), "taken.txt"]))
    expect((await expectProblem(again, 409, "file_exists")).existingId).toBe(id)
    const careful = await upload(form(["file", text("2"), "taken.txt"]), { "if-none-match": "*" })
    await expectProblem(careful, 412, "precondition_failed")
    expect(await (await server.get(`${files}/${id}/view`)).text()).toBe("1")
  })

  it("unknown bucket → 404", async () => {
    const path = `/tenants/${bucket.tenantId}/buckets/bkt_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e/files/upload`
    await expectProblem(await server.post(path, { body: form(["file", text("1"), "a"]) }), 404, "not_found")
  })
})

describe("reupload", () => {
  const reupload = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    server.post(`${path}/reupload`, { body, headers: { "content-type": "application/octet-stream", ...headers } })

  it("reserved file → 200, READY with version 1", async () => {
    const { id } = await json<File>(await server.post(files, { json: { name: "two-step.bin" } }))
    const content = randomBytes(300_000)
    const response = await reupload(`${files}/${id}`, content)
    expect(response.status).toBe(200)
    expect(await json(response)).toMatchObject({
      id,
      version: 1,
      state: "READY",
      checksum: { sha256: sha256Hex(content) }
    })
    const bytes = Buffer.from(await (await server.get(`${files}/${id}/download`)).arrayBuffer())
    expect(bytes.equals(content)).toBe(true)
  })

  it("existing file → new version; id, headers, alias and metadata are kept", async () => {
    const file = await server.makeFile(bucket, "old", { alias: "kept", metadata: { a: 1 } })
    await server.post(`${file.path}/headers`, { json: { name: "x-kept", value: "yes" } })
    const response = await reupload(`${files}/@kept`, "new", { "content-type": "text/css" })
    expect(await json(response)).toMatchObject({
      id: file.id,
      alias: "kept",
      metadata: { a: 1 },
      headers: [{ name: "x-kept", value: "yes" }],
      version: 2,
      contentType: "text/css",
      etag: `"${sha256Hex("new")}"`
    })
    const view = await server.get(`${file.path}/view`)
    expect([await view.text(), view.headers.get("x-kept")]).toEqual(["new", "yes"])
  })

  it("condition fails → 412, digest differs → 400, content unchanged; both match → 200", async () => {
    const file = await server.makeFile(bucket, "one")
    const { etag } = await json<File>(await server.get(file.path))
    await expectProblem(await reupload(file.path, "x", { "if-match": '"other"' }), 412, "precondition_failed")
    await expectProblem(await reupload(file.path, "x", { "if-none-match": "*" }), 412, "precondition_failed")
    await expectProblem(await reupload(file.path, "x", { "repr-digest": digestHeader("y") }), 400, "checksum_mismatch")
    await expectProblem(await reupload(file.path, "x", { "repr-digest": "sha-256=x" }), 400, "invalid_request")
    expect(await (await server.get(`${file.path}/view`)).text()).toBe("one")
    expect((await reupload(file.path, "two", { "if-match": etag, "repr-digest": digestHeader("two") })).status).toBe(
      200
    )
  })

  it("content above the limit → 413, content unchanged", async () => {
    const file = await server.makeFile(bucket, "one")
    await expectProblem(await reupload(file.path, new Uint8Array(limit + 1)), 413, "content_too_large")
    expect(await (await server.get(`${file.path}/view`)).text()).toBe("one")
  })

  it("unknown file → 404", async () => {
    await expectProblem(await reupload(`${files}/@unknown`, "x"), 404, "not_found")
  })
})
