import { beforeAll, expect, it } from "vitest"
import * as EachDatabase from "../support/EachDatabase.ts"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import type * as TestServer from "../support/TestServer.ts"

interface Created {
  readonly id: string
  readonly key: string
  readonly createdBy: {
    readonly member: { readonly id: string }
    readonly token: { readonly id: string } | null
  } | null
}

const mirror = {
  name: "copy",
  type: "SERVICE",
  serviceTenantId: "ten_01890a5d-ac96-774b-bcce-b302099a8057",
  serviceBucketId: "bkt_01890a5d-ac96-774b-bcce-b302099a8057",
  apiKey: "none",
  verify: false
}

EachDatabase.describeEach("creators of tokens and mirrors", (current) => {
  let server: TestServer.TestServer
  beforeAll(() => void (server = current()))

  let count = 0
  const post = async (path: string, body: object, key?: string) => {
    const response = await server.post(path, { json: body, ...(key === undefined ? {} : { key }) })
    expect(response.status).toBe(201)
    return json<Created>(response)
  }

  /** An Admin with a token, who created a token of another Admin, and a mirror. */
  const setUp = async () => {
    const { bucketId, tenantId } = await server.makeBucket()
    const tenant = `/tenants/${tenantId}`
    const addAdmin = () =>
      post(`${tenant}/members`, { user: { email: `creator-${++count}@example.com` }, role: { name: "Admin" } })
    const leaving = await addAdmin()
    const other = await addAdmin()
    const own = await post(`${tenant}/tokens`, { name: "own", member: { id: leaving.id } })
    const token = await post(`${tenant}/tokens`, { name: "kept", member: { id: other.id } }, own.key)
    const mirrors = `${tenant}/buckets/${bucketId}/mirrors`
    const copy = await post(mirrors, mirror, own.key)
    return { tenant, leaving, other, own, token, copy, mirrors, path: `${tenant}/members/${leaving.id}` }
  }

  it("records → the member and the token that created them", async () => {
    const { copy, leaving, mirrors, own, tenant, token } = await setUp()
    const createdBy = { member: { id: leaving.id }, token: { id: own.id } }
    expect(token.createdBy).toEqual(createdBy)
    expect(copy.createdBy).toEqual(createdBy)
    expect((await json<Created>(await server.get(`${tenant}/tokens/${token.id}`))).createdBy).toEqual(createdBy)
    const { items } = await json<{ items: ReadonlyArray<Created> }>(await server.get(mirrors))
    expect(items.map((item) => item.createdBy)).toEqual([createdBy])
  })

  it("remove or demote the creator without a choice → 409 that lists what remains; nothing changed", async () => {
    const { copy, path, token } = await setUp()
    const demotion = { json: { role: { name: "File Reader" } } }
    for (const response of [await server.delete(path), await server.patch(path, demotion)]) {
      const problem = await expectProblem(response, 409, "created_resources_remain")
      expect(problem.detail).toContain("1 token, 1 mirror and 0 shares")
      expect(problem).toMatchObject({
        created: {
          tokens: 1,
          mirrors: 1,
          shares: 0,
          items: [
            { kind: "TOKEN", id: token.id, name: "kept" },
            { kind: "MIRROR", id: copy.id, name: "copy" }
          ],
          isComplete: true
        }
      })
    }
    expect((await server.get("/me", { key: token.key })).status).toBe(200)
  })

  it.each(["remove", "demote"])(
    "%s the creator with created=end → its key is refused, its mirror gone",
    async (how) => {
      const { copy, mirrors, path, token } = await setUp()
      const query = { created: "end" }
      const response =
        how === "remove"
          ? await server.delete(path, { query })
          : await server.patch(path, { query, json: { role: { name: "File Reader" } } })
      expect(response.status).toBe(how === "remove" ? 204 : 200)
      await expectProblem(await server.get("/me", { key: token.key }), 401, "unauthenticated")
      await expectProblem(await server.get(`${mirrors}/${copy.id}`), 404, "not_found")
    }
  )

  it("created=transfer → both work on, the caller is their creator", async () => {
    const { copy, mirrors, path, tenant, token } = await setUp()
    expect((await server.delete(path, { query: { created: "transfer" } })).status).toBe(204)
    expect((await server.get("/me", { key: token.key })).status).toBe(200)
    const { items } = await json<{ items: ReadonlyArray<{ id: string }> }>(await server.get(`${tenant}/members`))
    const createdBy = { member: { id: items[0]?.id }, token: null }
    expect((await json<Created>(await server.get(`${tenant}/tokens/${token.id}`))).createdBy).toEqual(createdBy)
    expect((await json<Created>(await server.get(`${mirrors}/${copy.id}`))).createdBy).toEqual(createdBy)
  })

  it("created=transfer to oneself, or an unknown choice → 400 that names created", async () => {
    const { own, path } = await setUp()
    for (const created of ["transfer", "keep"]) {
      const problem = await expectProblem(
        await server.delete(path, { key: own.key, query: { created } }),
        400,
        "invalid_request"
      )
      expect(pointers(problem)).toEqual(["/created"])
    }
  })
})
