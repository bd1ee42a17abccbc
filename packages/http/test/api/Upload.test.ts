import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { digest, hex } from "../support/Hashes.ts"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface File {
  readonly id: string
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
