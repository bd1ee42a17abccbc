import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface Token {
  readonly id: string
  readonly key?: string
  readonly revokedAt: string | null
}

let server: TestServer.TestServer
let path: string
let memberId: string
beforeAll(async () => {
  server = await TestServer.start()
  const { tenantId } = await server.makeTenant()
  path = `/tenants/${tenantId}/tokens`
  const { items } = await json<{ items: Array<{ id: string }> }>(await server.get(`/tenants/${tenantId}/members`))
  memberId = items[0]?.id ?? ""
})
afterAll(() => server.close())

const soon = () => new Date(Date.now() + 60_000).toISOString()
const create = (fields: object = {}) =>
  server.post(path, { json: { name: "CI", member: { id: memberId }, expiresAt: soon(), ...fields } })

describe("tokens", () => {
  it("create → 201 with the key, which no other response contains", async () => {
    const expiresAt = soon()
    const response = await create({ expiresAt })
    const { key = "", ...token } = await json<Token>(response)
    expect(response.status).toBe(201)
    expect(key).toMatch(/^hf_[\w-]{49}$/)
    expect(token).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: "CI",
      member: { id: memberId },
      prefix: key.slice(0, 8),
      expiresAt,
      scope: null,
      allowedOrigins: null,
      createdBy: { member: { id: memberId }, token: null },
      createdAt: expect.any(String),
      lastUsedAt: null,
      revokedAt: null
    })
    expect(response.headers.get("location")).toBe(`/api/v1${path}/${token.id}`)
    expect(await json(await server.get(`${path}/${token.id}`))).toEqual(token)
    expect(await (await server.get(path)).text()).not.toContain(key)
    expect((await server.get("/me", { key })).status).toBe(200)
  })

  it("revoke → the next request gets 401", async () => {
    const { id, key = "" } = await json<Token>(await create())
    expect((await server.get("/me", { key })).status).toBe(200)
    expect((await server.delete(`${path}/${id}`)).status).toBe(204)
    await expectProblem(await server.get("/me", { key }), 401, "unauthenticated")
    expect((await json<Token>(await server.get(`${path}/${id}`))).revokedAt).not.toBeNull()
    expect((await server.delete(`${path}/${id}`)).status).toBe(204)
  })

  it.each([
    ["an expiry in the past", { expiresAt: "2020-01-01T00:00:00.000Z" }, ["/expiresAt"]],
    ["an expiry that is not a time", { expiresAt: "soon" }, ["/expiresAt"]],
    ["no expiry, which the deployment does not allow", { expiresAt: null }, ["/expiresAt"]],
    ["an unknown member", { member: { id: "mem_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e" } }, ["/member/id"]],
    ["wrong types", { name: 1, member: "x" }, ["/member", "/name"]]
  ])("create with %s → 400", async (_, fields, expected) => {
    expect(pointers(await expectProblem(await create(fields), 400, "invalid_request"))).toEqual(expected)
  })

  it("token of another tenant → 404", async () => {
    const { id } = await json<Token>(await create())
    const { tenantId } = await server.makeTenant()
    await expectProblem(await server.get(`/tenants/${tenantId}/tokens/${id}`), 404, "not_found")
    await expectProblem(await server.delete(`/tenants/${tenantId}/tokens/${id}`), 404, "not_found")
  })

  it("list with limit → pages", async () => {
    await create()
    const first = await json<{ items: ReadonlyArray<Token>; nextCursor: string | null }>(
      await server.get(path, { query: { limit: "1" } })
    )
    expect(first.items).toHaveLength(1)
    const query = { cursor: first.nextCursor ?? "" }
    const rest = await json<{ items: ReadonlyArray<Token>; nextCursor: string | null }>(
      await server.get(path, { query })
    )
    expect(rest.nextCursor).toBeNull()
    expect(rest.items.map(({ id }) => id)).not.toContain(first.items[0]?.id)
  })
})
