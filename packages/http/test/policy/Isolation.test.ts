/**
 * Ids swapped along every path: what is not under its parents does not exist, and says nothing of where it does.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import { makeWorld, rows, send, type World } from "./Rows.ts"

const fresh: World = {
  tenantId: "ten_01890a5d-ac96-774b-bcce-b302099a8057",
  bucketId: "bkt_01890a5d-ac96-774b-bcce-b302099a8057",
  fileId: "fil_01890a5d-ac96-774b-bcce-b302099a8057",
  memberId: "mem_01890a5d-ac96-774b-bcce-b302099a8057",
  tokenId: "tok_01890a5d-ac96-774b-bcce-b302099a8057",
  mirrorId: "mir_01890a5d-ac96-774b-bcce-b302099a8057"
}

/** Texts that are no id of the kind, and mean something to somebody else. */
const spelt = ["x", "@", "@none", "%00", "..%2f..", "*", "1' OR '1'='1", "fil_", "ten_", "é", "a".repeat(3000)]

/** The parts of a world that a route's path names besides the tenant. */
const parts = (route: string): ReadonlyArray<keyof World> =>
  (["bucketId", "fileId", "memberId", "tokenId", "mirrorId"] as const).filter((part) => route.includes(`:${part}`))

const bodyOf = async (response: Response): Promise<string> => {
  const { requestId, ...problem } = (await response.json()) as { readonly requestId: string }
  assert.isString(requestId)
  return JSON.stringify(problem)
}

describe("isolation", () => {
  let server: TestServer.TestServer
  let own: World
  let sibling: World
  let foreign: World

  beforeAll(async () => {
    server = await TestServer.start()
    own = await makeWorld(server)
    sibling = await makeWorld(server, own.tenantId)
    foreign = await makeWorld(server)
  })
  afterAll(() => server.close())

  for (const row of rows) {
    for (const part of parts(row.route)) {
      it(`${row.route} answers the same 404 for every ${part} that is not there`, async () => {
        const strangers = [foreign[part], fresh[part], ...spelt.map(encodeURIComponent)]
        // Another bucket of the same tenant is there, but the file or mirror is not in it.
        if (part === "bucketId" && /:(?:file|mirror)Id/.test(row.route)) strangers.push(sibling.bucketId)
        if (part === "fileId" || part === "mirrorId") strangers.push(sibling[part])
        const bodies = new Set<string>()
        for (const id of strangers) {
          const response = await send(server, row, { ...own, [part]: id }, server.rootKey)
          assert.strictEqual(response.status, 404, `${part} ${id}`)
          bodies.add(await bodyOf(response))
        }
        assert.strictEqual(bodies.size, 1, [...bodies].join("\n"))
      })
    }
  }

  it("left every foreign thing as it was", async () => {
    for (const world of [own, sibling, foreign]) {
      const path = `/tenants/${world.tenantId}/buckets/${world.bucketId}/files/${world.fileId}/view`
      const response = await server.get(path)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(await response.text(), "content")
    }
  })
})
