import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface Bucket {
  readonly id: string
  readonly name: string
}

let server: TestServer.TestServer
let path: string
beforeAll(async () => {
  server = await TestServer.start()
  path = `/tenants/${(await server.makeTenant()).tenantId}/buckets`
})
afterAll(() => server.close())

const create = (name: unknown) => server.post(path, { json: { name } })

describe("buckets", () => {
  it("create, get, rename, remove → 201, 200, 200, 204; removed → 404", async () => {
    const response = await create("photos")
    const bucket = await json<Bucket>(response)
    const own = `${path}/${bucket.id}`
    expect(response.status).toBe(201)
    expect(response.headers.get("location")).toBe(`/api/v1${own}`)
    expect(bucket).toEqual({
      id: expect.stringMatching(/^bkt_/),
      name: "photos",
      maxBytes: null,
      maxFiles: null,
      maxFileBytes: null,
      allowedTypes: null,
      visibility: "private",
      shares: { allowed: true, maxSeconds: null, passwordRequired: false },
      createdAt: expect.any(String),
      updatedAt: expect.any(String)
    })
    expect(await json(await server.get(own))).toEqual(bucket)
    const renamed = await server.patch(own, { json: { name: "pictures" } })
    expect([renamed.status, (await json<Bucket>(renamed)).name]).toEqual([200, "pictures"])
    const removed = await server.delete(own)
    expect([removed.status, await removed.text()]).toEqual([204, ""])
    await expectProblem(await server.get(own), 404, "not_found")
    await expectProblem(await server.patch(own, { json: { name: "x" } }), 404, "not_found")
    await expectProblem(await server.delete(own), 404, "not_found")
  })

  it("name taken → 409 with existingId; invalid name → 400", async () => {
    const { id } = await json<Bucket>(await create("one"))
    expect((await expectProblem(await create("one"), 409, "bucket_exists")).existingId).toBe(id)
    const other = await json<Bucket>(await create("two"))
    const renamed = await server.patch(`${path}/${other.id}`, { json: { name: "one" } })
    expect((await expectProblem(renamed, 409, "bucket_exists")).existingId).toBe(id)
    for (const name of ["", 1, null, "\u0000", "x".repeat(256)]) {
      expect(pointers(await expectProblem(await create(name), 400, "invalid_request"))).toEqual(["/name"])
    }
  })

  it("remove with files → 409; with force → 204", async () => {
    const { bucketId, tenantId } = await server.makeBucket()
    const file = await server.makeFile({ bucketId, tenantId })
    const own = `/tenants/${tenantId}/buckets/${bucketId}`
    await expectProblem(await server.delete(own), 409, "bucket_not_empty")
    expect((await server.delete(own, { query: { force: "1" } })).status).toBe(204)
    await expectProblem(await server.get(`${file.path}/view`), 404, "not_found")
  })

  it("bucket of another tenant → 404", async () => {
    const { bucketId } = await server.makeBucket()
    await expectProblem(await server.get(`${path}/${bucketId}`), 404, "not_found")
  })

  it("list with limit → pages in the order of creation", async () => {
    const { tenantId } = await server.makeTenant()
    const ids = [
      await server.makeBucket(tenantId),
      await server.makeBucket(tenantId),
      await server.makeBucket(tenantId)
    ]
    const buckets = `/tenants/${tenantId}/buckets`
    const first = await json<{ items: ReadonlyArray<Bucket>; nextCursor: string }>(
      await server.get(buckets, { query: { limit: "2" } })
    )
    const query = { limit: "2", cursor: first.nextCursor }
    const second = await json<{ items: ReadonlyArray<Bucket>; nextCursor: null }>(await server.get(buckets, { query }))
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids.map(({ bucketId }) => bucketId))
    expect(second.nextCursor).toBeNull()
  })
})
