/**
 * Texts that are not well-formed Unicode: they are refused, and nothing is stored with replacement characters.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

const lone = "\ud800"

describe("ill-formed text", () => {
  let server: TestServer.TestServer
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let files: string
  let file: string
  beforeAll(async () => {
    server = await TestServer.start()
    bucket = await server.makeBucket()
    files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    file = (await server.makeFile(bucket)).path
  })
  afterAll(() => server.close())

  const upload = (form: Uint8Array<ArrayBuffer>) =>
    server.post(`${files}/upload`, { body: form, headers: { "content-type": "multipart/form-data; boundary=b" } })

  const form = (...parts: ReadonlyArray<string | Uint8Array>) =>
    Uint8Array.from(Buffer.concat([...parts, "\r\nx\r\n--b--\r\n"].map((part) => Buffer.from(part))))

  it("metadata: lone surrogate in a text or key at any depth → 400 with its pointer, nothing stored", async () => {
    const cases: ReadonlyArray<readonly [object, string]> = [
      [{ a: lone }, "/metadata/a"],
      [{ a: { b: [1, `x${lone}`] } }, "/metadata/a/b/1"],
      [{ a: { [lone]: 1 } }, "/metadata/a/\ufffd"]
    ]
    for (const [metadata, pointer] of cases) {
      const reserved = await server.post(files, { json: { name: "ill", metadata } })
      expect(pointers(await expectProblem(reserved, 400, "invalid_request"))).toEqual([pointer])
      const updated = await server.patch(file, { json: { metadata } })
      expect(pointers(await expectProblem(updated, 400, "invalid_request"))).toEqual([pointer])
      const parts = new FormData()
      parts.append("body", JSON.stringify({ name: "ill", metadata }))
      parts.append("file", new Blob(["x"]))
      const uploaded = await server.post(`${files}/upload`, { body: parts })
      expect(pointers(await expectProblem(uploaded, 400, "invalid_request"))).toEqual([pointer])
    }
    expect(await (await server.get(files, { query: { name: "ill" } })).json()).toMatchObject({ items: [] })
  })

  it("metadata: pairs of surrogates and U+FFFD → stored as sent", async () => {
    const metadata = { "\u{1f600}": ["\u{10ffff}", "\ufffd"] }
    const response = await server.patch(file, { json: { metadata } })
    expect(await response.json()).toMatchObject({ metadata })
  })

  it.each([
    ["name", { name: `a${lone}` }, "/name"],
    ["path", { name: "a", path: `/${lone}/` }, "/path"],
    ["alias", { name: "a", alias: lone }, "/alias"],
    ["header value", { name: "a", headers: [{ name: "x-a", value: lone }] }, "/headers/0/value"]
  ])("lone surrogate in a file's %s → 400", async (_, json, pointer) => {
    const response = await server.post(files, { json })
    expect(pointers(await expectProblem(response, 400, "invalid_request"))).toEqual([pointer])
  })

  it("lone surrogate in the name of a tenant, bucket or token, an address or a role → 400", async () => {
    const { bucketId, tenantId } = bucket
    const tenant = `/tenants/${tenantId}`
    const cases: ReadonlyArray<readonly [string, object, string]> = [
      ["/tenants", { name: lone, subdomain: "ill-formed" }, "/name"],
      [`${tenant}/buckets`, { name: lone }, "/name"],
      [`${tenant}/tokens`, { name: lone, member: { id: "mem_1" } }, "/name"],
      [`${tenant}/members`, { user: { email: `a${lone}@b` }, role: { name: "Admin" } }, "/user/email"],
      [`${tenant}/members`, { user: { email: "a@b" }, role: { name: lone } }, "/role/name"],
      [`${tenant}/buckets/${bucketId}/mirrors`, { name: lone, type: "SERVICE" }, "/name"]
    ]
    for (const [path, json, pointer] of cases) {
      const problem = await expectProblem(await server.post(path, { json }), 400, "invalid_request")
      expect(pointers(problem)).toContain(pointer)
    }
  })

  it("upload: file name that is not UTF-8 → 400 at /name; the name of the description is used instead", async () => {
    const named = (description: string) =>
      form(
        `--b\r\nContent-Disposition: form-data; name="body"\r\n\r\n${description}\r\n`,
        `--b\r\nContent-Disposition: form-data; name="file"; filename="`,
        Uint8Array.of(0x61, 0xff),
        `"\r\n`
      )
    const refused = await upload(named("{}"))
    expect(pointers(await expectProblem(refused, 400, "invalid_request"))).toEqual(["/name"])
    expect((await upload(named('{"name":"described"}'))).status).toBe(201)
  })

  it("upload: media type that cannot be a header → 400 at /contentType, no file", async () => {
    const typed = (type: string) =>
      upload(form(`--b\r\nContent-Disposition: form-data; name="file"; filename="typed"\r\nContent-Type: ${type}\r\n`))
    for (const type of ["text/plain; x=\u2603", `text/${"x".repeat(600)}`]) {
      const problem = await expectProblem(await typed(type), 400, "invalid_request")
      expect(pointers(problem)).toEqual(["/contentType"])
    }
    expect((await typed("text/plain; x=y")).status).toBe(201)
  })
})
