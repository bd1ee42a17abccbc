/**
 * Every operation × five roles × own and foreign tenant × four states of the key.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Api, basePath } from "../../src/contract/Api.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Keys from "./Keys.ts"
import { makeWorld, roles, type Row, rows, send, type World } from "./Rows.ts"

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

const problemOf = async (response: Response) => {
  const { requestId, ...problem } = (await response.json()) as { readonly requestId: string; readonly code: string }
  assert.match(requestId, /\S/)
  return problem
}

describe("roles", () => {
  let server: TestServer.TestServer
  let own: string
  let foreign: World
  let keys: ReadonlyMap<string, string>

  beforeAll(async () => {
    server = await TestServer.start()
    own = (await server.makeTenant()).tenantId
    foreign = await makeWorld(server)
    const made = new Map<string, string>()
    for (const role of roles) {
      for (const state of Keys.states) made.set(`${role} ${state}`, await Keys.make(server, own, role, state))
    }
    keys = made
  })
  afterAll(() => server.close())

  const key = (role: string, state: Keys.KeyState): string => keys.get(`${role} ${state}`) ?? ""

  it("has a row for every operation of the contract, and no other", () => {
    assert.deepStrictEqual(rows.map(({ route }) => route).toSorted(), declared().toSorted())
  })

  const checkLive = async (row: Row, role: TestServer.RoleName) => {
    const response = await send(server, row, await makeWorld(server, own), key(role, "live"))
    if (row.may.includes(role)) return assert.strictEqual(response.status, row.status, await response.text())
    assert.strictEqual(response.status, 403)
    assert.strictEqual((await problemOf(response)).code, "forbidden")
  }

  for (const row of rows) {
    describe(row.route, () => {
      for (const role of roles) {
        it(`${row.may.includes(role) ? "lets" : "does not let"} a ${role}`, () => checkLive(row, role))
      }

      it("lets nobody with a key that is dead, and tells them all the same", async () => {
        const world = await makeWorld(server, own)
        const bodies = new Set<string>()
        const attempts = roles.flatMap((role) => Keys.states.slice(1).map((state) => key(role, state)))
        for (const dead of [...attempts, null, "", "nonsense", `hf_${"A".repeat(49)}`]) {
          const response = await send(server, row, world, dead)
          assert.strictEqual(response.status, 401)
          assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/)
          bodies.add(JSON.stringify(await problemOf(response)))
        }
        assert.strictEqual(bodies.size, 1)
      })

      if (row.isGlobal === true) return

      it("lets nobody into a tenant that is another's, and tells nothing of it", async () => {
        const bodies = new Set<string>()
        for (const role of roles) {
          const nowhere = { ...foreign, tenantId: "ten_01890a5d-ac96-774b-bcce-b302099a8057" }
          for (const world of [foreign, nowhere, { ...foreign, tenantId: "nonsense" }]) {
            const response = await send(server, row, world, key(role, "live"))
            assert.strictEqual(response.status, 403)
            bodies.add(JSON.stringify(await problemOf(response)))
          }
          const dead = await send(server, row, foreign, key(role, "revoked"))
          assert.strictEqual(dead.status, 401)
        }
        assert.strictEqual(bodies.size, 1)
      })
    })
  }
})
