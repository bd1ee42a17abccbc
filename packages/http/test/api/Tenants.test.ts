import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json, pointers } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"

interface Tenant {
  readonly id: string
  readonly name: string
}

interface Page {
  readonly items: ReadonlyArray<Tenant>
  readonly nextCursor: string | null
}

let server: TestServer.TestServer
beforeAll(async () => {
  server = await TestServer.start()
})
afterAll(() => server.close())

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe("identity", () => {
  it("GET /me → the identity of an account key and of a token", async () => {
    const account = await json(await server.get("/me"))
    expect(account).toEqual({
      user: { id: expect.stringMatching(/^acc_/), email: "root@example.com" },
      credential: {
        id: expect.stringMatching(/^key_/),
        kind: "ACCOUNT_KEY",
        expiresAt: null,
        scope: null,
        allowedOrigins: null
      },
      tenantId: null,
      role: null
    })
    const { tenantId } = await server.makeTenant()
    const token = await json(await server.get("/me", { key: await server.makeToken(tenantId, "File Reader") }))
    expect(token).toMatchObject({
      credential: { kind: "API_TOKEN", expiresAt: time },
      tenantId,
      role: { id: "role_file_reader", name: "File Reader" }
    })
  })

  it("GET /roles, GET /tenants/:tenantId/roles → the five roles", async () => {
    const { tenantId } = await server.makeTenant()
    const all = await json<{ items: Array<{ id: string; permissions: Array<string> }> }>(await server.get("/roles"))
    expect(all.items.map(({ id }) => id)).toEqual([
      "role_admin",
      "role_bucket_writer",
      "role_bucket_reader",
      "role_file_writer",
      "role_file_reader"
    ])
    expect(all.items[4]).toEqual({
      id: "role_file_reader",
      name: "File Reader",
      permissions: ["tenant:read", "role:read", "file:read"]
    })
    expect(await json(await server.get(`/tenants/${tenantId}/roles`))).toEqual(all)
  })
})

describe("tenants", () => {
  it("create → 201, the creator is Admin; Location → the tenant", async () => {
    const response = await server.post("/tenants", { json: { name: "Acme", subdomain: "acme-ltd" } })
    const created = await json<Tenant>(response)
    expect(response.status).toBe(201)
    expect(created).toEqual({
      id: expect.stringMatching(/^ten_[0-9a-f-]{36}$/),
      name: "Acme",
      subdomain: "acme-ltd",
      createdAt: time,
      updatedAt: time,
      member: {
        id: expect.stringMatching(/^mem_/),
        user: { id: expect.stringMatching(/^acc_/), email: "root@example.com" },
        role: { id: "role_admin", name: "Admin" },
        status: "ACTIVE",
        createdAt: time,
        updatedAt: time
      }
    })
    expect(response.headers.get("location")).toBe(`/api/v1/tenants/${created.id}`)
    const found = await server.get(new URL(response.headers.get("location") ?? "", server.url).href)
    expect(await json(found)).toEqual({ ...created, member: undefined })
  })

  it("subdomain taken → 409", async () => {
    await server.post("/tenants", { json: { name: "A", subdomain: "taken" } })
    await expectProblem(
      await server.post("/tenants", { json: { name: "B", subdomain: "taken" } }),
      409,
      "subdomain_taken"
    )
    const { tenantId } = await server.makeTenant()
    const renamed = await server.patch(`/tenants/${tenantId}`, { json: { subdomain: "taken" } })
    await expectProblem(renamed, 409, "subdomain_taken")
  })

  it("PATCH → changed; invalid fields → 400", async () => {
    const { tenantId } = await server.makeTenant()
    const response = await server.patch(`/tenants/${tenantId}`, { json: { name: "Renamed" } })
    expect([response.status, await json(response)]).toEqual([
      200,
      expect.objectContaining({ id: tenantId, name: "Renamed" })
    ])
    const wrong = await server.patch(`/tenants/${tenantId}`, { json: { name: 1, subdomain: "X" } })
    expect(pointers(await expectProblem(wrong, 400, "invalid_request"))).toEqual(["/name", "/subdomain"])
  })

  it("list → the tenants of the account, in pages; invalid cursor or limit → 400", async () => {
    const key = await server.makeAccountKey("pager@example.com")
    for (const name of ["one", "two", "three"]) {
      expect((await server.post("/tenants", { key, json: { name, subdomain: `pager-${name}` } })).status).toBe(201)
    }
    const names: Array<string> = []
    const sizes: Array<number> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const query: Record<string, string> = cursor === "" ? { limit: "2" } : { limit: "2", cursor }
      const page: Page = await json<Page>(await server.get("/tenants", { key, query }))
      names.push(...page.items.map(({ name }) => name))
      sizes.push(page.items.length)
      cursor = page.nextCursor
    }
    expect([names, sizes]).toEqual([
      ["one", "two", "three"],
      [2, 1]
    ])
    for (const cursor of ["!", "bm9uc2Vuc2U"]) {
      await expectProblem(await server.get("/tenants", { key, query: { cursor } }), 400, "invalid_cursor")
    }
    for (const limit of ["0", "1001", "1.5", "many", ""]) {
      const response = await server.get("/tenants", { key, query: { limit } })
      expect(pointers(await expectProblem(response, 400, "invalid_request"))).toEqual(["/limit"])
    }
  })

  it("remove with content → 409; with force → 204", async () => {
    const { bucketId, tenantId } = await server.makeBucket()
    await server.makeFile({ bucketId, tenantId })
    await expectProblem(await server.delete(`/tenants/${tenantId}`), 409, "tenant_not_empty")
    await expectProblem(
      await server.delete(`/tenants/${tenantId}`, { query: { force: "false" } }),
      409,
      "tenant_not_empty"
    )
    await expectProblem(
      await server.delete(`/tenants/${tenantId}`, { query: { force: "yes" } }),
      400,
      "invalid_request"
    )
    const response = await server.delete(`/tenants/${tenantId}`, { query: { force: "true" } })
    expect([response.status, await response.text()]).toEqual([204, ""])
    await expectProblem(await server.get(`/tenants/${tenantId}`), 403, "forbidden")
  })
})
