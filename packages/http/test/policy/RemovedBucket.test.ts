/**
 * A bucket that is removed in steps, before its rows are deleted: the server of this test has no removal worker.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import { type Fixture, makeFixture, rows, send } from "./PermissionTable.ts"

/** More files than one transaction removes. */
const manyFiles = 501

const unknownBucket = "bkt_01890a5d-ac96-774b-bcce-b302099a8057"

const withoutRequestId = (text: string): string => text.replace(/"requestId":"[^"]*"/, "")

describe("removed bucket", () => {
  let server: TestServer.TestServer
  let removed: Fixture

  beforeAll(async () => {
    server = await TestServer.start()
    removed = await makeFixture(server)
    const bucket = `/tenants/${removed.tenantId}/buckets/${removed.bucketId}`
    for (let index = 0; index < manyFiles; index++) {
      const made = await server.post(`${bucket}/files`, { json: { name: `file-${index}` } })
      assert.strictEqual(made.status, 201)
      await made.body?.cancel()
    }
    const answer = await server.request("DELETE", `${bucket}?force=true`, {})
    assert.strictEqual(answer.status, 204)
  })
  afterAll(() => server.close())

  for (const row of rows.filter(({ route }) => route.includes("/:bucketId"))) {
    it(`${row.route} → the answer for an unknown bucket`, async () => {
      const answer = await send(server, row, removed, server.rootKey)
      const expected = await send(server, row, { ...removed, bucketId: unknownBucket }, server.rootKey)
      assert.strictEqual(answer.status, expected.status)
      assert.strictEqual(withoutRequestId(await answer.text()), withoutRequestId(await expected.text()))
      assert.strictEqual(answer.status, 404)
    })
  }

  it("GET …/buckets → does not list it; the tenant is empty and can be removed", async () => {
    const tenant = `/tenants/${removed.tenantId}`
    const listed = (await (await server.request("GET", `${tenant}/buckets`, {})).json()) as { items: Array<unknown> }
    assert.deepStrictEqual(listed.items, [])
    assert.strictEqual((await server.request("DELETE", tenant, {})).status, 204)
    assert.strictEqual((await server.request("GET", tenant, {})).status, 403)
  })
})
