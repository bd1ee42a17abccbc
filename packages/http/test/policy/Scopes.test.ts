/**
 * The scopes of tokens, for every operation: six kinds of scope of a token of an Admin.
 */
import * as Permission from "@holdfast/core/Permission"
import * as Settings from "@holdfast/core/Settings"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { ProblemBody } from "../support/Problems.ts"
import * as TestServer from "../support/TestServer.ts"
import { makeFixture, type Row, rows, send, type Fixture } from "./PermissionTable.ts"
import { cases, folder, permissionOf, type ScopeCase } from "./ScopeTable.ts"

describe("scopes", () => {
  let server: TestServer.TestServer
  let tenantId: string
  let adminId: string
  /** For requests that change nothing. */
  let shared: Fixture

  beforeAll(async () => {
    server = await TestServer.start({ settings: { quota: { ...Settings.defaults.quota, webhooks: null } } })
    tenantId = (await server.makeTenant()).tenantId
    const { items } = (await (await server.get(`/tenants/${tenantId}/members`)).json()) as {
      readonly items: ReadonlyArray<{ readonly id: string }>
    }
    adminId = items[0]?.id ?? ""
    shared = await makePlacedFixture()
  })
  afterAll(() => server.close())

  const makeKey = async (scope: object | undefined): Promise<string> => {
    const answer = await server.post(`/tenants/${tenantId}/tokens`, {
      json: { name: "t", member: { id: adminId }, scope }
    })
    assert.strictEqual(answer.status, 201, await answer.clone().text())
    return ((await answer.json()) as { readonly key: string }).key
  }

  const keys = new Map<string, Promise<string>>()

  /** Returns a key with a scope, one for all requests that change nothing. */
  const findKey = (scope: object): Promise<string> => {
    const id = JSON.stringify(scope)
    const found = keys.get(id) ?? makeKey(scope)
    keys.set(id, found)
    return found
  }

  const makePlacedFixture = async (): Promise<Fixture> => {
    const fixture = await makeFixture(server, tenantId)
    const file = `/tenants/${tenantId}/buckets/${fixture.bucketId}/files/${fixture.fileId}`
    assert.strictEqual((await server.patch(file, { json: { path: folder } })).status, 200)
    return fixture
  }

  const check = async (row: Row, { answer, name, scope }: ScopeCase) => {
    const expected = answer(row)
    // An API token creates no tenant and has no invitations, with a scope or without.
    const status = expected !== "as an Admin" ? expected : row.allowed.length === 0 ? 403 : row.status
    const changesNothing = status >= 400 || row.route.startsWith("GET ")
    const fixture = changesNothing ? shared : await makePlacedFixture()
    const limit = scope(fixture, row)
    if (limit === undefined) return
    const response = await send(server, row, fixture, await (changesNothing ? findKey(limit) : makeKey(limit)))
    assert.strictEqual(response.status, status, await response.clone().text())
    if (status !== 403) return
    const problem = (await response.json()) as ProblemBody
    assert.strictEqual(problem.code, "forbidden")
    if (name === "all other permissions") assert.strictEqual(problem.permission, permissionOf(row))
    if (problem.permission !== undefined) assert.include(problem.detail, ` permission ${problem.permission} here`)
  }

  for (const row of rows) {
    describe(row.route, () => {
      for (const scopeCase of cases(Permission.all)) {
        it(`${scopeCase.name} → ${String(scopeCase.answer(row))}`, () => check(row, scopeCase))
      }
    })
  }
})
