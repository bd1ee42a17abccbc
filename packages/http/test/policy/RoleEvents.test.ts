/**
 * The events that each cell of the table of roles leaves: what a role may change has an event with its actor, what it may not
 * do has sampled events of the refusals, and everything else has none.
 */
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as TestServer from "../support/TestServer.ts"
import * as Keys from "./Keys.ts"
import { type Fixture, makeFixture, roles, rows, send } from "./PermissionTable.ts"

const bucketPath = "/tenants/:tenantId/buckets/:bucketId"
const filePath = `${bucketPath}/files/:fileId`

/** The actions of the operations that succeed and change something. */
const actions: Readonly<Record<string, string>> = {
  "PATCH /tenants/:tenantId": "tenant.updated",
  "POST /tenants/:tenantId/members": "member.created",
  "PATCH /tenants/:tenantId/members/:memberId": "member.updated",
  "DELETE /tenants/:tenantId/members/:memberId": "member.deleted",
  "POST /tenants/:tenantId/tokens": "token.created",
  "DELETE /tenants/:tenantId/tokens/:tokenId": "token.revoked",
  "POST /tenants/:tenantId/buckets": "bucket.created",
  [`PATCH ${bucketPath}`]: "bucket.updated",
  [`POST ${bucketPath}/files/upload`]: "file.created",
  [`POST ${bucketPath}/files`]: "file.created",
  [`PATCH ${filePath}`]: "file.updated",
  [`DELETE ${filePath}`]: "file.deleted",
  [`POST ${filePath}/reupload`]: "content.replaced",
  [`POST ${filePath}/headers`]: "header.updated",
  [`POST ${filePath}/headers/bulk`]: "header.updated",
  [`DELETE ${filePath}/headers/:name`]: "header.updated",
  [`POST ${bucketPath}/mirrors`]: "mirror.created",
  [`PATCH ${bucketPath}/mirrors/:mirrorId`]: "mirror.updated",
  [`DELETE ${bucketPath}/mirrors/:mirrorId`]: "mirror.deleted",
  [`POST ${bucketPath}/mirrors/:mirrorId/sync`]: "mirror.requested"
}

interface Event {
  readonly action: string
  readonly actor: { readonly kind: string; readonly tokenId: string | null }
  readonly requestId: string | null
  readonly clientAddress: string | null
  readonly detail: { readonly permission?: string }
}

describe("events of the table of roles", () => {
  let server: TestServer.TestServer
  let own: string
  const keys = new Map<string, string>()

  beforeAll(async () => {
    server = await TestServer.start()
    own = (await server.makeTenant()).tenantId
    for (const role of roles) keys.set(role, await Keys.make(server, own, role, "live"))
  })
  afterAll(() => server.close())

  /** Returns the events of the tenant as text, one in each line: those of what was done, or of refused requests, or all. */
  const exportAll = async (outcome: "SUCCESS" | "REFUSED" | "ALL"): Promise<string> => {
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const filter = outcome === "ALL" ? "" : `outcome=${outcome}&`
    return (await server.get(`/tenants/${own}/events/export?${filter}to=${later}`)).text()
  }

  const eventsOf = (lines: string): ReadonlyArray<Event> =>
    lines.split("\n").flatMap((line): ReadonlyArray<Event> => (line === "" ? [] : [JSON.parse(line)]))

  it("actions → one for each operation of the table that changes something and succeeds", () => {
    const changing = rows.filter(
      ({ allowed, isGlobal, route, status }) =>
        !route.startsWith("GET ") && isGlobal !== true && allowed.length > 0 && status < 300
    )
    assert.deepStrictEqual(changing.map(({ route }) => route).toSorted(), Object.keys(actions).toSorted())
  })

  for (const row of rows.filter(({ isGlobal }) => isGlobal !== true)) {
    it(`${row.route} → ${actions[row.route] ?? "no event"}`, async () => {
      for (const role of roles) {
        const fixture: Fixture = await makeFixture(server, own)
        const before = eventsOf(await exportAll("SUCCESS")).length
        const answer = await send(server, row, fixture, keys.get(role) ?? "")
        const requestId = answer.headers.get("x-request-id")
        await answer.arrayBuffer()
        const left = eventsOf(await exportAll("SUCCESS")).slice(before)
        const action = row.allowed.includes(role) ? actions[row.route] : undefined
        assert.deepStrictEqual(
          left.map((event) => event.action),
          action === undefined ? [] : [action],
          role
        )
        for (const { actor, clientAddress, ...event } of left) {
          assert.strictEqual(actor.kind, "TOKEN")
          assert.match(actor.tokenId ?? "", /^tok_/)
          assert.strictEqual(event.requestId, requestId)
          assert.strictEqual(clientAddress, "127.0.0.1")
        }
      }
    })
  }

  it("cells that are refused → events request.refused with the actor and the permission that is missing", async () => {
    const isRefused = rows.some(({ allowed, isGlobal }) => isGlobal !== true && allowed.length < roles.length)
    assert.isTrue(isRefused)
    const found = await vi.waitUntil(
      async () => {
        const events = eventsOf(await exportAll("REFUSED"))
        return events.length > 0 && events
      },
      { timeout: 30_000, interval: 100 }
    )
    for (const { action, actor, detail } of found) {
      assert.strictEqual(action, "request.refused")
      assert.match(actor.tokenId ?? "", /^tok_/)
      assert.match(detail.permission ?? "", /^[a-z_]+:[a-z]+$/)
    }
  })

  it("after all these requests → no event contains a key, a hash of one, a secret, a content, metadata or a header's value", async () => {
    const bucket = await server.makeBucket(own)
    const { id: fileId } = await server.makeFile(bucket, "the-content", {
      metadata: { "a-field": "the-metadata" },
      headers: [{ name: "x-secret", value: "the-value" }]
    })
    const file = `/tenants/${own}/buckets/${bucket.bucketId}/files/${fileId}`
    const changed = await server.request("PATCH", file, { json: { metadata: { "a-field": "the-other-metadata" } } })
    assert.strictEqual(changed.status, 200)
    const json = {
      name: "m",
      type: "S3",
      region: "r",
      bucketName: "the-target",
      accessKeyId: "the-key-id",
      secretAccessKey: "the-secret",
      verify: false
    }
    const made = await server.post(`/tenants/${own}/buckets/${bucket.bucketId}/mirrors`, { json })
    assert.oneOf(made.status, [201, 422])
    const text = await exportAll("ALL")
    for (const key of [...keys.values(), server.rootKey]) assert.notInclude(text, key)
    assert.notMatch(text, /hfp?_[A-Za-z0-9]{8}/)
    assert.notMatch(text, /the-(content|metadata|other|value|target|key|secret)|a-field/)
    // The only hash is the entity tag of a content.
    for (const [hash] of text.replaceAll(/"etag":"\\"[0-9a-f]{64}\\""/g, "").matchAll(/[0-9a-f]{64}/g)) {
      assert.fail(`hash ${hash}`)
    }
  })
})
