import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface File {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly etag: string
  readonly expands?: object
}

let server: TestServer.TestServer
let bucket: { readonly tenantId: string; readonly bucketId: string }
let path: string
beforeAll(async () => {
  server = await TestServer.start()
  bucket = await server.makeBucket()
  path = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
})
afterAll(() => server.close())

const reserve = (fields: object) => server.post(path, { json: fields })

describe("reserve", () => {
  it("all fields → 201 with the record and its Location; its content → 404", async () => {
    const response = await reserve({ name: "a.txt", path: "docs", alias: "first", metadata: { n: [1, null] } })
    const file = await json<File>(response)
    expect(response.status).toBe(201)
    expect(response.headers.get("location")).toBe(`/api/v1${path}/${file.id}`)
    expect(file).toEqual({
      id: expect.stringMatching(/^fil_/),
      name: "a.txt",
      path: "/docs/",
      alias: "first",
      contentType: null,
      etag: null,
      checksum: null,
      version: 0,
      state: "RESERVED",
      damaged: false,
      metadata: { n: [1, null] },
      headers: [],
      createdAt: expect.any(String),
      updatedAt: expect.any(String)
    })
    expect(await json(await server.get(`${path}/${file.id}`))).toEqual(file)
    await expectProblem(await server.get(`${path}/${file.id}/view`), 404, "content_not_uploaded")
  })

  it("no path → the root folder", async () => {
    expect((await json<File>(await reserve({ name: "root.txt" }))).path).toBe("/")
  })

  it("name or alias taken → 409 with existingId", async () => {
    const { id } = await json<File>(await reserve({ name: "b.txt", path: "/b/", alias: "bee" }))
    const again = await expectProblem(await reserve({ name: "b.txt", path: "/b" }), 409, "file_exists")
    expect(again.existingId).toBe(id)
    const alias = await expectProblem(await reserve({ name: "c.txt", alias: "bee" }), 409, "alias_taken")
    expect(alias.existingId).toBe(id)
  })

  it("several invalid fields → 400 with all faults", async () => {
    const wrong = { name: "a/b", path: "/a/../b/", alias: "No!", metadata: [], headers: [{ name: "date", value: "x" }] }
    expect(pointers(await expectProblem(await reserve(wrong), 400, "invalid_request"))).toEqual([
      "/alias",
      "/headers/0/name",
      "/metadata",
      "/name",
      "/path"
    ])
  })

  it("unknown bucket → 404", async () => {
    const elsewhere = await server.makeBucket()
    const other = `/tenants/${bucket.tenantId}/buckets/${elsewhere.bucketId}/files`
    await expectProblem(await server.post(other, { json: { name: "x" } }), 404, "not_found")
  })
})

describe("file record", () => {
  it("expands → these expansions; unknown one → 400", async () => {
    const file = await server.makeFile(bucket, "x".repeat(1500), { name: "sized.txt" })
    const expand = async (expands: string | ReadonlyArray<string>) =>
      (await json<File>(await server.get(file.path, { query: { expands } }))).expands
    expect(await expand("SIZE")).toEqual({ size: { bytes: 1500, human: "1.5 kB" } })
    expect(await expand(["TYPE", "SIZE"])).toEqual({
      size: { bytes: 1500, human: "1.5 kB" },
      type: { type: "TEXT" }
    })
    expect((await json<File>(await server.get(file.path))).expands).toBeUndefined()
    for (const expands of ["size", ["SIZE", "X"], "SIZE,TYPE"]) {
      await expectProblem(await server.get(file.path, { query: { expands } }), 400, "invalid_request")
    }
  })

  it("path with @alias of 128 characters → the record", async () => {
    const alias = "a".repeat(128)
    const { id } = await json<File>(await reserve({ name: "aliased.txt", alias }))
    expect((await json<File>(await server.get(`${path}/@${alias}`))).id).toBe(id)
    expect((await json<File>(await server.get(`${path}/%40${alias}`))).id).toBe(id)
    await expectProblem(await server.get(`${path}/@unknown`), 404, "not_found")
  })

  it("PATCH → changed fields, null removes the alias; name taken → 409", async () => {
    const { id } = await json<File>(await reserve({ name: "old.txt", alias: "moving" }))
    const fields = { name: "new.txt", path: "/moved/", alias: null, metadata: { a: 1 } }
    const response = await server.patch(`${path}/@moving`, { json: fields })
    expect([response.status, await json(response)]).toEqual([200, expect.objectContaining({ id, ...fields })])
    await expectProblem(await server.get(`${path}/@moving`), 404, "not_found")
    await reserve({ name: "there.txt", path: "/moved/" })
    const clash = await server.patch(`${path}/${id}`, { json: { name: "there.txt" } })
    await expectProblem(clash, 409, "file_exists")
    await expectProblem(await server.patch(`${path}/${id}`, { json: { path: "/\u0000/" } }), 400, "invalid_request")
  })

  it("DELETE: If-Match does not match → 412, malformed → 400, matches → 204", async () => {
    const file = await server.makeFile(bucket)
    const { etag } = await json<File>(await server.get(file.path))
    const remove = (ifMatch: string) => server.delete(file.path, { headers: { "if-match": ifMatch } })
    await expectProblem(await remove('"other"'), 412, "precondition_failed")
    await expectProblem(await remove("no tag"), 400, "invalid_request")
    expect((await remove(etag)).status).toBe(204)
    await expectProblem(await remove(etag), 404, "not_found")
    await expectProblem(await server.get(`${file.path}/view`), 404, "not_found")
  })
})
