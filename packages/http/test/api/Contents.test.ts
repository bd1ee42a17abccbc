import { createHash, randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface File {
  readonly id: string
  readonly version: number
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

const hex = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex")
const digest = (content: string | Uint8Array) => `sha-256=:${createHash("sha256").update(content).digest("base64")}:`

/** A form with these parts, in this order. */
const form = (...parts: ReadonlyArray<readonly [name: string, value: string | Blob, filename?: string]>) => {
  const form = new FormData()
  for (const [name, value, filename] of parts) {
    if (typeof value === "string") form.append(name, value)
    else form.append(name, value, filename)
  }
  return form
}

const upload = (body: FormData, headers: Record<string, string> = {}) =>
  server.post(`${files}/upload`, { body, headers })
const text = (content: string) => new Blob([content], { type: "text/plain" })

describe("upload", () => {
  it("takes the parts in either order", async () => {
    const body = (name: string) => JSON.stringify({ name, path: "/in/", alias: name, metadata: { a: 1 } })
    const first = await upload(form(["body", body("one")], ["file", text("1"), "x.txt"]))
    const last = await upload(form(["file", text("1"), "x.txt"], ["body", body("two")]))
    for (const [answer, name] of [
      [first, "one"],
      [last, "two"]
    ] as const) {
      const file = await json<File>(answer)
      expect(answer.status).toBe(201)
      expect(answer.headers.get("location")).toBe(`/api/v1${files}/${file.id}`)
      expect(file).toMatchObject({
        name,
        path: "/in/",
        alias: name,
        metadata: { a: 1 },
        contentType: "text/plain",
        etag: `"${hex("1")}"`,
        checksum: { sha256: hex("1") },
        version: 1,
        state: "READY"
      })
    }
  })

  it("names the file after its part when the body does not", async () => {
    const bare = await upload(form(["file", text("1"), "part.txt"]))
    expect(await json(bare)).toMatchObject({ name: "part.txt", path: "/" })
    const placed = await upload(form(["file", text("1"), "part.txt"], ["body", '{"path":"/p/"}']))
    expect(await json(placed)).toMatchObject({ name: "part.txt", path: "/p/" })
  })

  it("takes an empty file, and one of exactly the limit", async () => {
    const empty = await upload(form(["file", new Blob([]), "empty.bin"]))
    expect(await json(empty)).toMatchObject({ version: 1, state: "READY", checksum: { sha256: hex("") } })
    const most = randomBytes(limit)
    const full = await upload(form(["file", new Blob([most]), "full.bin"]))
    expect(await json(full)).toMatchObject({ checksum: { sha256: hex(most) } })
  })

  it("refuses more than the limit", async () => {
    const answer = await upload(form(["file", new Blob([new Uint8Array(limit + 1)]), "big.bin"]))
    await expectProblem(answer, 413, "content_too_large")
  })

  it.each([
    ["no file", form(["body", '{"name":"x"}']), ["/file"]],
    ["a body that is no JSON", form(["body", "{"], ["file", text("1"), "a"]), ["/body"]],
    [
      "a description with faults, before the file",
      form(["body", '{"name":1,"path":"/../"}'], ["file", text("1"), "a"]),
      ["/name", "/path"]
    ],
    ["one with faults behind it", form(["file", text("1"), "a"], ["body", '{"name":"a/b"}']), ["/name"]],
    ["a description that is no object", form(["body", "7"], ["file", text("1"), "a"]), [""]]
  ])("refuses %s", async (_, body, expected) => {
    expect(pointers(await expectProblem(await upload(body), 400, "invalid_request"))).toEqual(expected)
  })

  it("refuses another media type", async () => {
    const answer = await server.post(`${files}/upload`, { json: { name: "x" } })
    await expectProblem(answer, 415, "unsupported_media_type")
  })

  it("honours an announced digest, and leaves nothing when it is another", async () => {
    const right = await upload(form(["file", text("d"), "digest.txt"]), { "repr-digest": digest("d") })
    expect(right.status).toBe(201)
    const wrong = await upload(form(["file", text("d"), "wrong.txt"]), { "content-digest": digest("x") })
    await expectProblem(wrong, 400, "checksum_mismatch")
    const again = await upload(form(["file", text("d"), "wrong.txt"]))
    expect(again.status).toBe(201)
  })

  it("of a name that is taken is 409, or 412 when the caller asked for none", async () => {
    const { id } = await json<File>(await upload(form(["file", text("1"), "taken.txt"])))
    const again = await upload(form(["file", text("2"), "taken.txt"]))
    expect((await expectProblem(again, 409, "file_exists")).existingId).toBe(id)
    const careful = await upload(form(["file", text("2"), "taken.txt"]), { "if-none-match": "*" })
    await expectProblem(careful, 412, "precondition_failed")
    expect(await (await server.get(`${files}/${id}/view`)).text()).toBe("1")
  })

  it("to a bucket that is not there is 404", async () => {
    const path = `/tenants/${bucket.tenantId}/buckets/bkt_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e/files/upload`
    await expectProblem(await server.post(path, { body: form(["file", text("1"), "a"]) }), 404, "not_found")
  })
})

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

describe("view and download", () => {
  it("serve the content with what a reader needs to know", async () => {
    const file = await server.makeFile(bucket, "Hello", { name: "héllo.txt" })
    const view = await server.get(`${file.path}/view`)
    expect([view.status, await view.text()]).toEqual([200, "Hello"])
    expect(Object.fromEntries(view.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "content-disposition": `inline; filename="hello.txt"; filename*=UTF-8''h%C3%A9llo.txt`,
      "content-length": "5",
      "content-type": "text/plain; charset=utf-8",
      etag: `"${hex("Hello")}"`,
      "last-modified": expect.stringMatching(/ GMT$/),
      "x-content-type-options": "nosniff"
    })
    const download = await server.get(`${file.path}/download`)
    expect([await download.text(), download.headers.get("content-disposition")]).toEqual([
      "Hello",
      `attachment; filename="hello.txt"; filename*=UTF-8''h%C3%A9llo.txt`
    ])
  })

  it("answer HEAD with the same headers and no body", async () => {
    const file = await server.makeFile(bucket, "Hello")
    const [get, head] = await Promise.all([server.get(`${file.path}/view`), server.head(`${file.path}/view`)])
    const said = (answer: Response) =>
      Object.fromEntries(
        [...answer.headers].filter(([name]) => !/^(?:connection|keep-alive|date|x-request-id)$/.test(name))
      )
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "5", ""])
    expect(said(head)).toEqual(said(get))
  })

  it("answer ranges and conditions", async () => {
    const file = await server.makeFile(bucket, "0123456789")
    const read = (headers: Record<string, string>) => server.get(`${file.path}/view`, { headers })
    const part = await read({ range: "bytes=2-4" })
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 2-4/10", "234"])
    const outside = await read({ range: "bytes=10-" })
    expect(outside.headers.get("content-range")).toBe("bytes */10")
    await expectProblem(outside, 416, "range_not_satisfiable")
    const etag = part.headers.get("etag") ?? ""
    const known = await read({ "if-none-match": etag })
    expect([known.status, await known.text(), known.headers.get("etag")]).toEqual([304, "", etag])
    await expectProblem(await read({ "if-match": '"other"' }), 412, "precondition_failed")
  })

  it("find the file by its alias", async () => {
    await server.makeFile(bucket, "by alias", { alias: "read-me" })
    expect(await (await server.get(`${files}/@read-me/view`)).text()).toBe("by alias")
  })

  it("of a file of another bucket, or of a bucket of another tenant, are 404", async () => {
    const file = await server.makeFile(bucket)
    const other = await server.makeBucket()
    const sibling = await server.makeBucket(bucket.tenantId)
    for (const { bucketId, tenantId } of [other, sibling, { ...bucket, tenantId: other.tenantId }]) {
      const path = `/tenants/${tenantId}/buckets/${bucketId}/files/${file.id}/view`
      await expectProblem(await server.get(path), 404, "not_found")
    }
  })

  it("of markup put it into a sandbox", async () => {
    const file = await server.makeFile(bucket, "<html><script>1</script></html>", { name: "page.html" })
    expect((await server.get(`${file.path}/view`)).headers.get("content-security-policy")).toBe("sandbox")
  })
})
