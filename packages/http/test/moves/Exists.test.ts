/**
 * Asking whether a file exists.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../../src/client/index.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

describe("exists", () => {
  let server: TestServer.TestServer
  let bucket: { readonly tenantId: string; readonly bucketId: string }
  let files: string
  let fileId: string

  beforeAll(async () => {
    server = await TestServer.start()
    bucket = await server.makeBucket()
    files = `/tenants/${bucket.tenantId}/buckets/${bucket.bucketId}/files`
    const answer = await server.post(files, { json: { name: "a.txt", path: "/in/", alias: "known" } })
    fileId = (await json<{ id: string }>(answer)).id
  })
  afterAll(() => server.close())

  const exists = (query: Record<string, string>, options: { readonly key?: string } = {}) =>
    server.get(`${files}/exists`, { query, ...options })

  it.each([
    ["its id", true, () => ({ fileId })],
    ["its alias", true, () => ({ fileId: "@known" })],
    ["its place, the path not normalised", true, () => ({ path: "in", name: "a.txt" })],
    ["another alias", false, () => ({ fileId: "@other" })],
    ["a text that is no id", false, () => ({ fileId: "x" })],
    ["its name in another folder", false, () => ({ name: "a.txt" })]
  ])("exists: %s → %s", async (_, expected, query) => {
    expect(await json(await exists(query()))).toEqual({ exists: expected })
  })

  it("exists: both or neither of id and name, a bad name → 400", async () => {
    for (const query of [{}, { path: "/in/" }, { fileId, name: "a.txt" }, { fileId, path: "/in/" }, { name: "a/b" }]) {
      await expectProblem(await exists(query), 400, "invalid_request")
    }
  })

  it("exists: unknown bucket → 404", async () => {
    const other = files.replace(bucket.bucketId, "bkt_01890a5d-ac96-774b-bcce-b302099a8057")
    await expectProblem(await server.get(`${other}/exists`, { query: { fileId } }), 404, "not_found")
  })

  it("exists: key whose scope is another folder → false by id, 403 by place", async () => {
    const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(
      await server.get(`/tenants/${bucket.tenantId}/members`)
    )
    const token = { name: "t", member: { id: items[0]?.id }, scope: { pathPrefix: "/out/" } }
    const { key } = await json<{ key: string }>(
      await server.post(`/tenants/${bucket.tenantId}/tokens`, { json: token })
    )
    expect(await json(await exists({ fileId }, { key }))).toEqual({ exists: false })
    await expectProblem(await exists({ name: "a.txt", path: "/in/" }, { key }), 403, "forbidden")
  })

  it("exists: client → a boolean", async () => {
    const client = createClient({ url: server.url, apiKey: server.rootKey })
    expect(await client.files.exists({ ...bucket, fileId })).toBe(true)
    expect(await client.files.exists({ ...bucket, path: "/in/", name: "b.txt" })).toBe(false)
  })
})
