/**
 * The permissions of every operation: five roles × own and foreign tenant × four states of the key.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import type { Permission } from "@holdfast/core/Permission"
import * as Role from "@holdfast/core/Role"
import * as Settings from "@holdfast/core/Settings"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Api, basePath } from "../../src/contract/Api.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Keys from "./Keys.ts"
import { makeFixture, roles, type Row, rows, send, type Fixture } from "./PermissionTable.ts"

/** The operations that the contract declares, as `METHOD /path` below the base path. */
const declared = (): ReadonlyArray<string> => {
  const found: Array<string> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const path = endpoint.path.slice(basePath.length)
      found.push(`${endpoint.method} ${path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path}`)
    }
  })
  return found
}

const roleNamed = (name: TestServer.RoleName): Role.Role => {
  const role = Role.all.find((one) => one.name === name)
  assert.isDefined(role)
  return role
}

const problemOf = async (response: Response) => {
  const { requestId, ...problem } = (await response.json()) as {
    readonly requestId: string
    readonly code: string
    readonly detail?: string
    readonly permission?: Permission
  }
  assert.match(requestId, /\S/)
  return problem
}

describe("roles", () => {
  let server: TestServer.TestServer
  let own: string
  let foreign: Fixture
  /** For requests that change nothing. */
  let shared: Fixture
  let keys: ReadonlyMap<string, string>

  beforeAll(async () => {
    server = await TestServer.start({ settings: { quota: { ...Settings.defaults.quota, webhooks: null } } })
    own = (await server.makeTenant()).tenantId
    foreign = await makeFixture(server)
    shared = await makeFixture(server, own)
    const made = new Map<string, string>()
    for (const role of roles) {
      for (const state of Keys.states) made.set(`${role} ${state}`, await Keys.make(server, own, role, state))
    }
    keys = made
  })
  afterAll(() => server.close())

  const key = (role: string, state: Keys.KeyState): string => keys.get(`${role} ${state}`) ?? ""

  it("rows → exactly the operations of the contract", () => {
    assert.deepStrictEqual(rows.map(({ route }) => route).toSorted(), declared().toSorted())
  })

  const checkLive = async (row: Row, role: TestServer.RoleName) => {
    const isAllowed = row.allowed.includes(role)
    const fixture = isAllowed && !row.route.startsWith("GET ") ? await makeFixture(server, own) : shared
    const response = await send(server, row, fixture, key(role, "live"))
    if (isAllowed) return assert.strictEqual(response.status, row.status, await response.text())
    assert.strictEqual(response.status, 403)
    const { code, detail = "", permission } = await problemOf(response)
    assert.strictEqual(code, "forbidden")
    if (row.isGlobal === true) return
    assert.isDefined(permission)
    assert.notInclude(roleNamed(role).permissions, permission)
    assert.include(detail, `no permission ${permission} `)
  }

  for (const row of rows) {
    describe(row.route, () => {
      for (const role of roles) {
        it(`${role} → ${row.allowed.includes(role) ? row.status : 403}`, () => checkLive(row, role))
      }

      it("no key, invalid, expired or revoked key → the same 401", async () => {
        const bodies = new Set<string>()
        const attempts = roles.flatMap((role) => Keys.states.slice(1).map((state) => key(role, state)))
        for (const invalid of [...attempts, null, "", "nonsense", `hf_${"A".repeat(49)}`]) {
          const response = await send(server, row, shared, invalid)
          assert.strictEqual(response.status, 401)
          assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/)
          bodies.add(JSON.stringify(await problemOf(response)))
        }
        assert.strictEqual(bodies.size, 1)
      })

      if (row.isGlobal === true) return

      it("foreign or unknown tenant → the same 403", async () => {
        const bodies = new Set<string>()
        for (const role of roles) {
          const unknown = { ...foreign, tenantId: "ten_01890a5d-ac96-774b-bcce-b302099a8057" }
          for (const fixture of [foreign, unknown, { ...foreign, tenantId: "nonsense" }]) {
            const response = await send(server, row, fixture, key(role, "live"))
            assert.strictEqual(response.status, 403)
            bodies.add(JSON.stringify(await problemOf(response)))
          }
          const revoked = await send(server, row, foreign, key(role, "revoked"))
          assert.strictEqual(revoked.status, 401)
        }
        assert.strictEqual(bodies.size, 1)
      })
    })
  }
})
