/**
 * Exchanged ids in every path: a record that is not under the path's parents gets the same 404 as one that does not exist.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import { makeFixture, rows, send, type Fixture } from "./PermissionTable.ts"

const fresh: Fixture = {
  tenantId: "ten_01890a5d-ac96-774b-bcce-b302099a8057",
  bucketId: "bkt_01890a5d-ac96-774b-bcce-b302099a8057",
  fileId: "fil_01890a5d-ac96-774b-bcce-b302099a8057",
  memberId: "mem_01890a5d-ac96-774b-bcce-b302099a8057",
  tokenId: "tok_01890a5d-ac96-774b-bcce-b302099a8057",
  mirrorId: "mir_01890a5d-ac96-774b-bcce-b302099a8057",
  shareId: "shr_01890a5d-ac96-774b-bcce-b302099a8057",
  webhookId: "whk_01890a5d-ac96-774b-bcce-b302099a8057",
  deliveryId: "evt_01890a5d-ac96-774b-bcce-b302099a8057",
  uploadId: "upl_01890a5d-ac96-774b-bcce-b302099a8057"
}

/** Texts that are not ids of the right kind, and that have a meaning elsewhere: in paths, SQL, or as other ids. */
const malformed = ["x", "@", "@none", "%00", "..%2f..", "*", "1' OR '1'='1", "fil_", "ten_", "é", "a".repeat(3000)]

/** The ids in the path of a route, except the tenant's. */
const parts = (route: string): ReadonlyArray<keyof Fixture> =>
  (["bucketId", "fileId", "memberId", "tokenId", "mirrorId", "shareId", "uploadId"] as const).filter((part) =>
    route.includes(`:${part}`)
  )

const bodyOf = async (response: Response): Promise<string> => {
  const { requestId, ...problem } = (await response.json()) as { readonly requestId: string }
  assert.isString(requestId)
  return JSON.stringify(problem)
}

describe("isolation", () => {
  let server: TestServer.TestServer
  let own: Fixture
  let sibling: Fixture
  let foreign: Fixture

  beforeAll(async () => {
    server = await TestServer.start()
    own = await makeFixture(server)
    sibling = await makeFixture(server, own.tenantId)
    foreign = await makeFixture(server)
  })
  afterAll(() => server.close())

  for (const row of rows) {
    for (const part of parts(row.route)) {
      it(`${row.route}: unknown or foreign ${part} → the same 404`, async () => {
        const others = [foreign[part], fresh[part], ...malformed.map(encodeURIComponent)]
        // The sibling bucket exists in the same tenant, but it does not contain the file or mirror.
        if (part === "bucketId" && /:(?:file|mirror)Id/.test(row.route)) others.push(sibling.bucketId)
        if (part === "fileId" || part === "mirrorId") others.push(sibling[part])
        const bodies = new Set<string>()
        for (const id of others) {
          const response = await send(server, row, { ...own, [part]: id }, server.rootKey)
          assert.strictEqual(response.status, 404, `${part} ${id}`)
          bodies.add(await bodyOf(response))
        }
        assert.strictEqual(bodies.size, 1, [...bodies].join("\n"))
      })
    }
  }

  it("after all these requests → every file unchanged", async () => {
    for (const fixture of [own, sibling, foreign]) {
      const path = `/tenants/${fixture.tenantId}/buckets/${fixture.bucketId}/files/${fixture.fileId}/view`
      const response = await server.get(path)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(await response.text(), "content")
    }
  })
})
