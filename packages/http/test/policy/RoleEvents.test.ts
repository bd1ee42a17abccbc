/**
 * The events that each cell of the table of roles leaves: what a role may change has an event with its actor, what it may not
 * do has an event of the refusal, and everything else has none.
 */
import * as Role from "@holdfast/core/Role"
import * as Settings from "@holdfast/core/Settings"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { expectAbsent } from "../support/Secrecy.ts"
import * as TestServer from "../support/TestServer.ts"
import * as Keys from "./Keys.ts"
import { type Fixture, makeFixture, roles, type Row, rows, send } from "./PermissionTable.ts"

const bucketPath = "/tenants/:tenantId/buckets/:bucketId"
const webhooksPath = "/tenants/:tenantId/webhooks"
const filePath = `${bucketPath}/files/:fileId`

/** The actions of the operations that succeed and change something. */
const actions: Readonly<Record<string, string>> = {
  "PATCH /tenants/:tenantId": "tenant.updated",
  "POST /tenants/:tenantId/members": "member.created",
  "PATCH /tenants/:tenantId/members/:memberId": "member.updated",
  "DELETE /tenants/:tenantId/members/:memberId": "member.deleted",
  "POST /tenants/:tenantId/tokens": "token.created",
  "DELETE /tenants/:tenantId/tokens/:tokenId": "token.revoked",
  "POST /tenants/:tenantId/tokens/:tokenId/s3-credentials": "token.s3_credentials_created",
  "DELETE /tenants/:tenantId/tokens/:tokenId/s3-credentials": "token.s3_credentials_revoked",
  "POST /tenants/:tenantId/buckets": "bucket.created",
  [`PATCH ${bucketPath}`]: "bucket.updated",
  [`POST ${bucketPath}/files/upload`]: "file.created",
  [`PUT ${bucketPath}/files/upload`]: "file.created",
  [`POST ${bucketPath}/files/uploads`]: "file.created",
  [`PATCH ${bucketPath}/files/uploads/:uploadId`]: "file.created",
  [`POST ${bucketPath}/files`]: "file.created",
  [`PATCH ${filePath}`]: "file.updated",
  [`DELETE ${filePath}`]: "file.deleted",
  [`POST ${filePath}/move`]: "file.updated",
  [`POST ${filePath}/copy`]: "file.created",
  [`POST ${bucketPath}/files/move`]: "file.updated",
  [`POST ${bucketPath}/files/delete`]: "file.deleted",
  [`POST ${bucketPath}/folders/delete`]: "file.deleted",
  [`POST ${filePath}/reupload`]: "content.replaced",
  [`POST ${filePath}/headers`]: "header.updated",
  [`POST ${filePath}/headers/bulk`]: "header.updated",
  [`DELETE ${filePath}/headers/:name`]: "header.updated",
  [`POST ${bucketPath}/shares`]: "share.created",
  [`PATCH ${bucketPath}/shares/:shareId`]: "share.updated",
  [`DELETE ${bucketPath}/shares/:shareId`]: "share.deleted",
  [`POST ${webhooksPath}`]: "webhook.created",
  [`PATCH ${webhooksPath}/:webhookId`]: "webhook.updated",
  [`DELETE ${webhooksPath}/:webhookId`]: "webhook.deleted",
  [`POST ${webhooksPath}/:webhookId/rotate`]: "webhook.rotated",
  [`POST ${webhooksPath}/:webhookId/test`]: "webhook.test",
  [`POST ${webhooksPath}/:webhookId/recover`]: "webhook.recovery_requested",
  [`POST ${webhooksPath}/:webhookId/deliveries/:deliveryId/replay`]: "webhook.delivery_replayed",
  [`POST ${bucketPath}/mirrors`]: "mirror.created",
  [`PATCH ${bucketPath}/mirrors/:mirrorId`]: "mirror.updated",
  [`DELETE ${bucketPath}/mirrors/:mirrorId`]: "mirror.deleted",
  [`POST ${bucketPath}/mirrors/:mirrorId/sync`]: "mirror.requested"
}

/** The actions of the operations that accounts alone may call, in the tenant that is created, joined or left. */
const accountActions: Readonly<Record<string, ReadonlyArray<string>>> = {
  "POST /tenants": ["tenant.created", "member.created"],
  "POST /me/memberships/:tenantId/accept": ["member.accepted"],
  "DELETE /me/memberships/:tenantId": ["member.deleted"]
}

interface Event {
  readonly action: string
  readonly outcome: string
  readonly actor: { readonly kind: string; readonly accountId: string | null; readonly tokenId: string | null }
  readonly target: { readonly id: string | null }
  readonly requestId: string | null
  readonly clientAddress: string | null
  readonly detail: { readonly reason?: string; readonly permission?: string; readonly count?: number }
}

interface Me {
  readonly user: { readonly id: string }
  readonly credential: { readonly id: string; readonly kind: string }
}

const foreignBucket = {
  serviceTenantId: "ten_01890a5d-ac96-774b-bcce-b302099a8057",
  serviceBucketId: "bkt_01890a5d-ac96-774b-bcce-b302099a8057"
}

/** Records that do not exist: a role that is refused is refused before they are looked up. */
const absent: Fixture = {
  tenantId: "t",
  bucketId: "b",
  fileId: "f",
  memberId: "m",
  tokenId: "t",
  mirrorId: "m",
  shareId: "s",
  webhookId: "w",
  deliveryId: "d",
  uploadId: "u"
}

const isChange = ({ changesNothing, route }: Row): boolean => !route.startsWith("GET ") && changesNothing !== true

/** Returns the names of the roles that include a permission, in the order of the table. */
const rolesWith = (permission: string | undefined): ReadonlyArray<string> =>
  Role.all.filter(({ permissions }) => permissions.some((one) => one === permission)).map(({ name }) => name)

describe("events of the table of roles", () => {
  let server: TestServer.TestServer
  let own: string
  /** For requests that change nothing. */
  let shared: Fixture
  const keys = new Map<string, string>()
  const actors = new Map<string, Event["actor"]>()

  beforeAll(async () => {
    server = await TestServer.start({ settings: { quota: { ...Settings.defaults.quota, webhooks: null } } })
    own = (await server.makeTenant()).tenantId
    shared = await makeFixture(server, own)
    for (const role of roles) {
      const key = await Keys.make(server, own, role, "live")
      keys.set(role, key)
      actors.set(role, await findActor(key))
    }
  })
  afterAll(() => server.close())

  /** Returns the actor that the events of changes with a key should have. */
  const findActor = async (key: string): Promise<Event["actor"]> => {
    const { credential, user } = (await (await server.get("/me", { key })).json()) as Me
    return {
      kind: credential.kind === "API_TOKEN" ? "TOKEN" : "ACCOUNT",
      accountId: user.id,
      tokenId: credential.id
    }
  }

  /**
   * Returns events of a tenant as text, one in each line: those of what was done, or of refused requests, or all; those at a time
   * and later, if it is given.
   */
  const exportText = async (tenantId: string, outcome: "SUCCESS" | "REFUSED" | "ALL", from?: Date): Promise<string> => {
    const query = new URLSearchParams({ to: new Date(Date.now() + 3_600_000).toISOString() })
    if (outcome !== "ALL") query.set("outcome", outcome)
    if (from !== undefined) query.set("from", from.toISOString())
    return (await server.get(`/tenants/${tenantId}/events/export?${query}`)).text()
  }

  const eventsOf = (lines: string): ReadonlyArray<Event> =>
    lines.split("\n").flatMap((line): ReadonlyArray<Event> => (line === "" ? [] : [JSON.parse(line)]))

  it("actions → one for each operation of the table that changes something and succeeds", () => {
    const changing = rows.filter(
      (row) => isChange(row) && row.isGlobal !== true && row.allowed.length > 0 && row.status < 300
    )
    assert.deepStrictEqual(changing.map(({ route }) => route).toSorted(), Object.keys(actions).toSorted())
    const global = rows.filter((row) => isChange(row) && row.isGlobal === true)
    assert.deepStrictEqual(global.map(({ route }) => route).toSorted(), Object.keys(accountActions).toSorted())
  })

  for (const row of rows.filter(({ isGlobal }) => isGlobal !== true)) {
    it(`${row.route} → ${actions[row.route] ?? "no event"}`, async () => {
      for (const role of roles) {
        const isAllowed = row.allowed.includes(role)
        const fixture = isAllowed && isChange(row) ? await makeFixture(server, own) : shared
        const from = new Date()
        const before = eventsOf(await exportText(own, "SUCCESS", from)).length
        const answer = await send(server, row, fixture, keys.get(role) ?? "")
        const requestId = answer.headers.get("x-request-id")
        await answer.arrayBuffer()
        const left = eventsOf(await exportText(own, "SUCCESS", from)).slice(before)
        const action = isAllowed ? actions[row.route] : undefined
        assert.deepStrictEqual(
          left.map((event) => event.action),
          action === undefined ? [] : [action],
          role
        )
        for (const { actor, clientAddress, ...event } of left) {
          assert.match(actor.tokenId ?? "", /^tok_/)
          assert.deepStrictEqual(actor, actors.get(role))
          assert.strictEqual(event.requestId, requestId)
          assert.strictEqual(clientAddress, "127.0.0.1")
        }
      }
    })
  }

  it("operations of accounts → events with the account, its key, the request and the address", async () => {
    const email = "joins-and-leaves@example.com"
    const key = await server.makeAccountKey(email)
    const actor = await findActor(key)
    const requestIds = new Map<string, string | null>()
    const call = async (route: string, tenantId: string) => {
      const row = rows.find((one) => one.route === route)
      assert.isDefined(row)
      const answer = await send(server, row, { ...absent, tenantId }, key)
      assert.strictEqual(answer.status, row.status, route)
      requestIds.set(route, answer.headers.get("x-request-id"))
      return answer
    }
    const [create = "", accept = "", leave = ""] = Object.keys(accountActions)
    const created = (await (await call(create, "none")).json()) as { readonly id: string }
    const json = { user: { email }, role: { name: "File Reader" } }
    assert.strictEqual((await server.post(`/tenants/${own}/members`, { json })).status, 201)
    await (await call(accept, own)).arrayBuffer()
    await call(leave, own)

    const newTenant = (await (await server.get(`/tenants/${created.id}/events`, { key })).json()) as {
      readonly items: ReadonlyArray<Event>
    }
    const left = [...newTenant.items.toReversed(), ...eventsOf(await exportText(own, "SUCCESS")).slice(-2)]
    assert.deepStrictEqual(
      left.map((event) => [event.action, event.actor, event.requestId, event.clientAddress]),
      [create, accept, leave].flatMap((route) =>
        (accountActions[route] ?? []).map((action) => [action, actor, requestIds.get(route), "127.0.0.1"])
      )
    )
  })

  it("operations of accounts: token → no event", async () => {
    const before = await exportText(own, "SUCCESS")
    for (const row of rows.filter((one) => isChange(one) && one.isGlobal === true)) {
      for (const key of keys.values()) {
        const answer = await send(server, row, { ...absent, tenantId: own }, key)
        assert.strictEqual(answer.status, 403)
        await answer.arrayBuffer()
      }
    }
    assert.strictEqual(await exportText(own, "SUCCESS"), before)
  })

  it("cells that are refused → each an event with actor, request, address and the permission that its roles have", async () => {
    // Each cell has a tenant and a token of its own, so that no event is left out of the sample.
    const cells: Array<{
      readonly name: string
      readonly row: Row
      readonly tenantId: string
      readonly requestId: string | null
      readonly actor: Event["actor"]
    }> = []
    for (const row of rows.filter(({ isGlobal }) => isGlobal !== true)) {
      for (const role of roles.filter((one) => !row.allowed.includes(one))) {
        const { tenantId } = await server.makeTenant()
        const key = await server.makeToken(tenantId, role)
        const actor = await findActor(key)
        const answer = await send(server, row, { ...absent, tenantId }, key)
        const name = `${row.route} as ${role}`
        assert.strictEqual(answer.status, 403, name)
        await answer.arrayBuffer()
        cells.push({ name, row, tenantId, requestId: answer.headers.get("x-request-id"), actor })
      }
    }
    assert.isAbove(cells.length, 100)
    for (const { actor, name, requestId, row, tenantId } of cells) {
      const [event, ...others] = await vi.waitUntil(
        async () => {
          const events = eventsOf(await exportText(tenantId, "REFUSED"))
          return events.length > 0 && events
        },
        { timeout: 30_000, interval: 100 }
      )
      assert.deepStrictEqual(others, [], name)
      assert.deepStrictEqual(
        { ...event, detail: { ...event?.detail, permission: rolesWith(event?.detail.permission) } },
        {
          ...event,
          action: "request.refused",
          outcome: "REFUSED",
          actor,
          requestId,
          clientAddress: "127.0.0.1",
          detail: { reason: "forbidden", permission: row.allowed, count: 1 }
        },
        name
      )
      assert.strictEqual(event?.target.id, tenantId, name)
    }
  }, 120_000)

  it("after all these requests → no event contains a key, a hash of one, a secret, a content, metadata or a header's value", async () => {
    const bucket = await server.makeBucket(own)
    const { id: fileId } = await server.makeFile(bucket, "the-content", {
      metadata: { "a-field": "the-metadata" },
      headers: [{ name: "x-secret", value: "the-value" }]
    })
    const file = `/tenants/${own}/buckets/${bucket.bucketId}/files/${fileId}`
    const changed = await server.request("PATCH", file, { json: { metadata: { "a-field": "the-other-metadata" } } })
    assert.strictEqual(changed.status, 200)
    const mirrors = `/tenants/${own}/buckets/${bucket.bucketId}/mirrors`
    const json = { name: "m", type: "SERVICE", apiKey: "the-target-key", verify: false, ...foreignBucket }
    const made = await server.post(mirrors, { json })
    assert.strictEqual(made.status, 201)
    const { id: mirrorId } = (await made.json()) as { readonly id: string }
    const other = await server.request("PATCH", `${mirrors}/${mirrorId}`, {
      json: { apiKey: "the-other-key", verify: false }
    })
    assert.strictEqual(other.status, 200)
    const inUrl = await server.request("PATCH", `${file}?apiKey=${server.rootKey}`, { key: null, json: { name: "n" } })
    assert.strictEqual(inUrl.status, 200)
    const refusedInUrl = await server.get(`/tenants/${own}/events?apiKey=${keys.get("File Reader")}`, { key: null })
    assert.strictEqual(refusedInUrl.status, 403)

    const text = await exportText(own, "ALL")
    expectAbsent([...keys.values(), server.rootKey], { events: text })
    assert.notMatch(text, /(hfp?|whsec)_[A-Za-z0-9+/]{8}/)
    assert.notMatch(text, /the-(content|metadata|other|value|target|key|secret)|a-field/)
    // The only hash is the entity tag of a content.
    for (const [hash] of text.replaceAll(/"etag":"\\"[0-9a-f]{64}\\""/g, "").matchAll(/[0-9a-f]{64}/g)) {
      assert.fail(`hash ${hash}`)
    }
  })
})
