import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as ApiKey from "@holdfast/core/access/ApiKey"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

let server: TestServer.TestServer
let tenantId: string
beforeAll(async () => {
  server = await TestServer.start()
  tenantId = (await server.makeTenant()).tenantId
})
afterAll(() => server.close())

/** A well-formed key that the service did not create. */
const unknownKey = () => server.run(Effect.map(ApiKey.mint, ({ key }) => Redacted.value(key)))

/** A token that has expired. */
const expiredKey = () =>
  server.run(
    Effect.gen(function* () {
      const tokens = yield* TokenRepository
      const { hash, key, prefix } = yield* ApiKey.mint
      const member = yield* Effect.promise(async () => {
        const page = await json<{ items: Array<{ id: string }> }>(await server.get(`/tenants/${tenantId}/members`))
        return page.items[0]?.id ?? ""
      })
      const createdAt = DateTime.makeUnsafe("2020-01-01T00:00:00Z")
      const id = "tok_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e"
      yield* tokens.create({
        tenantId,
        token: {
          id,
          name: "old",
          member: { id: member },
          prefix,
          createdAt,
          expiresAt: createdAt,
          scope: null,
          allowedOrigins: null,
          createdBy: null,
          lastUsedAt: null,
          revokedAt: null
        },
        hash
      })
      return Redacted.value(key)
    })
  )

const revokedKey = async () => {
  const key = await server.makeToken(tenantId, "File Reader")
  const { items } = await json<{ items: Array<{ id: string; prefix: string; name: string }> }>(
    await server.get(`/tenants/${tenantId}/tokens`)
  )
  const id = items.find(({ prefix }) => key.startsWith(prefix))?.id
  expect((await server.delete(`/tenants/${tenantId}/tokens/${id}`)).status).toBe(204)
  return key
}

const rolesOf = (
  key: string | null,
  options: { headers?: Record<string, string>; query?: Record<string, string | ReadonlyArray<string>> } = {}
) => server.get("/roles", { key, ...options })

describe("authentication: places of the key", () => {
  it("query, Authorization or X-Api-Key, alone or the same key in several → 200", async () => {
    const key = server.rootKey
    const responses = await Promise.all([
      rolesOf(null, { query: { apiKey: key } }),
      rolesOf(null, { headers: { authorization: `Bearer ${key}` } }),
      rolesOf(null, { headers: { authorization: `bearer  ${key}` } }),
      rolesOf(key),
      rolesOf(key, { query: { apiKey: key }, headers: { authorization: `Bearer ${key}` } }),
      rolesOf(key, { query: { apiKey: [key, key] } }),
      rolesOf(key, { query: { apiKey: "" }, headers: { authorization: "Basic dXNlcjpwYXNz" } })
    ])
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  })

  it("two different keys → 400 ambiguous_key", async () => {
    const key = server.rootKey
    const responses = await Promise.all([
      rolesOf(key, { query: { apiKey: "other" } }),
      rolesOf(key, { headers: { authorization: "Bearer other" } }),
      rolesOf(null, { query: { apiKey: [key, "other"] } }),
      rolesOf(null, { query: { apiKey: key }, headers: { authorization: `Bearer ${key}x` } })
    ])
    for (const response of responses) await expectProblem(response, 400, "ambiguous_key")
    const view = server.get(`/tenants/${tenantId}/buckets/x/files/y/view`, { query: { apiKey: "other" } })
    await expectProblem(await view, 400, "ambiguous_key")
  })
})

describe("authentication: invalid keys", () => {
  it("missing, malformed, unknown, expired or revoked key → the same 401", async () => {
    const keys = [null, "hf_no-key", await unknownKey(), await expiredKey(), await revokedKey()]
    const paths = ["/me", `/tenants/${tenantId}`, `/tenants/${tenantId}/buckets/b/files/f/view`]
    const bodies = new Set<string>()
    for (const key of keys) {
      for (const path of paths) {
        const response = await server.get(path, { key })
        expect(response.headers.get("www-authenticate")).toBe('Bearer realm="holdfast"')
        const { requestId, ...rest } = await expectProblem(response, 401, "unauthenticated")
        expect(requestId).not.toBe("")
        bodies.add(JSON.stringify(rest))
      }
    }
    expect(bodies.size).toBe(1)
  })

  it("no key, and other faults in the request → 401", async () => {
    const body = { body: "{", headers: { "content-type": "text/plain" } }
    for (const path of ["/tenants", "/tenants/x/buckets", "/tenants/x/buckets/y/files/upload"]) {
      await expectProblem(await server.post(path, { key: null, ...body }), 401, "unauthenticated")
    }
    await expectProblem(await server.get("/tenants", { key: null, query: { limit: "0" } }), 401, "unauthenticated")
  })
})

describe("authorization", () => {
  it("unknown tenant, tenant of others, malformed id or missing permission → the same 403 with the permission", async () => {
    const stranger = await server.makeAccountKey("stranger@example.com")
    const reader = await server.makeToken(tenantId, "File Reader")
    const absent = "ten_01932c07-209d-7f3a-8c5e-1f2a3b4c5d6e"
    const tenants = [absent, tenantId, "nonsense", "x".repeat(3000)]
    const responses = await Promise.all([
      ...tenants.map((id) => server.get(`/tenants/${id}/members`, { key: stranger })),
      server.get(`/tenants/${tenantId}/members`, { key: reader }),
      server.get(`/tenants/${tenantId}/members/nonsense`, { key: stranger })
    ])
    const bodies = new Set<string>()
    for (const response of responses) {
      const { requestId, ...rest } = await expectProblem(response, 403, "forbidden")
      expect(requestId).not.toBe("")
      expect(rest).toMatchObject({
        permission: "member:manage",
        detail: "The caller has no permission member:manage in this tenant."
      })
      bodies.add(JSON.stringify(rest))
    }
    expect(bodies.size).toBe(1)
  })

  it("missing permission, and faults in body, query or path → 403", async () => {
    const key = await server.makeToken(tenantId, "File Reader")
    const json = { name: 1 }
    await expectProblem(await server.post(`/tenants/${tenantId}/buckets`, { key, json }), 403, "forbidden")
    await expectProblem(
      await server.get(`/tenants/${tenantId}/buckets`, { key, query: { limit: "x" } }),
      403,
      "forbidden"
    )
    await expectProblem(await server.delete(`/tenants/${tenantId}/buckets/nonsense`, { key }), 403, "forbidden")
    const upload = { key, body: "x", headers: { "content-type": "text/plain" } }
    await expectProblem(await server.post(`/tenants/${tenantId}/buckets/b/files/upload`, upload), 403, "forbidden")
  })

  it("API token creates a tenant → 403, whatever the body", async () => {
    const key = await server.makeToken(tenantId, "Admin")
    for (const body of [{ name: "A", subdomain: "abc" }, { name: 1 }]) {
      const refused = await expectProblem(await server.post("/tenants", { key, json: body }), 403, "forbidden")
      expect(refused.detail).toContain("Use an account key")
      expect(refused).not.toHaveProperty("permission")
    }
  })

  it("API token creates a tenant where the deployment allows it → 201", async () => {
    const open = await TestServer.start({ settings: { tokensMayCreateTenants: true } })
    try {
      const tenant = await open.makeTenant()
      const key = await open.makeToken(tenant.tenantId, "File Reader")
      const response = await open.post("/tenants", { key, json: { name: "B", subdomain: "by-token" } })
      expect(response.status).toBe(201)
      await expectProblem(await open.post("/tenants", { key, json: {} }), 400, "invalid_request")
    } finally {
      await open.close()
    }
  })
})

describe("authorized request", () => {
  it("malformed id → 404", async () => {
    for (const path of [
      "buckets/nonsense",
      "buckets/nonsense/files",
      "members/x",
      "tokens/x",
      "buckets/b/files/f/view"
    ]) {
      await expectProblem(await server.get(`/tenants/${tenantId}/${path}`), 404, "not_found")
    }
  })
})

it("API key: any request → the key is not in the log nor in the response", async () => {
  const key = await server.makeToken(tenantId, "File Reader")
  const responses = await Promise.all([
    server.get("/me", { key: null, query: { apiKey: key } }),
    server.get("/nothing", { key: null, query: { apiKey: key } }),
    server.get(`/tenants/${tenantId}/members`, { key: null, query: { apiKey: key } }),
    server.get("/me", { key, query: { apiKey: `${key}x` } })
  ])
  expect(responses.map(({ status }) => status)).toEqual([200, 404, 403, 400])
  const texts = await Promise.all(responses.map((response) => response.text()))
  expect([...texts, ...server.logs].join("\n")).not.toContain(key)
})
