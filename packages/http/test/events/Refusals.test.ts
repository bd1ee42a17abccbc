/**
 * The events of refused requests.
 */
import * as Duration from "effect/Duration"
import { assert, expect, it, onTestFinished } from "vitest"
import * as EachDatabase from "../support/EachDatabase.ts"
import * as TestServer from "../support/TestServer.ts"

interface Event {
  readonly action: string
  readonly outcome: string
  readonly actor: { readonly kind: string; readonly tokenId: string | null }
  readonly target: { readonly type: string | null; readonly id: string | null }
  readonly clientAddress: string | null
  readonly requestId: string | null
  readonly detail: {
    readonly reason?: string
    readonly permission?: string
    readonly policy?: string
    readonly count?: number
  }
}

const list = async (server: TestServer.TestServer, tenantId: string, query: string): Promise<ReadonlyArray<Event>> => {
  const answer = await server.get(`/tenants/${tenantId}/events?limit=1000&${query}`)
  assert.strictEqual(answer.status, 200)
  return ((await answer.json()) as { readonly items: ReadonlyArray<Event> }).items
}

/** Waits until the tenant has this many events of refused requests, and returns them. */
const awaitRefused = async (server: TestServer.TestServer, tenantId: string, count: number) => {
  const refused = () => list(server, tenantId, "outcome=REFUSED")
  await expect.poll(async () => (await refused()).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count)
  return refused()
}

EachDatabase.describeEach("refused requests", (current) => {
  it("403: 1,000 requests without the permission → an event with actor, request and permission, and at most one a minute", async () => {
    const server = current()
    const { tenantId } = await server.makeBucket()
    const key = await server.makeToken(tenantId, "File Reader")
    const [made] = await list(server, tenantId, "action=token.created")
    const send = async (headers: Record<string, string>) => {
      const answer = await server.post(`/tenants/${tenantId}/buckets`, { key, json: { name: "b" }, headers })
      assert.strictEqual(answer.status, 403)
      await answer.arrayBuffer()
    }
    const began = performance.now()
    await send({ "x-request-id": "my-request" })
    const [event] = await awaitRefused(server, tenantId, 1)
    expect(event).toMatchObject({
      action: "request.refused",
      outcome: "REFUSED",
      actor: { kind: "TOKEN", tokenId: expect.stringMatching(/^tok_/) },
      target: { type: "TENANT", id: tenantId },
      clientAddress: expect.stringMatching(/127\.0\.0\.1$/),
      requestId: "my-request",
      detail: { reason: "forbidden", permission: "bucket:write", count: 1 }
    })
    assert.strictEqual(made?.outcome, "SUCCESS")
    for (let i = 0; i < 999; i++) await send({})
    const refused = await list(server, tenantId, "outcome=REFUSED")
    assert.isAtMost(refused.length, 1 + (performance.now() - began) / 60_000)
    const done = await list(server, tenantId, "outcome=SUCCESS")
    assert.isAbove(done.length, 3)
    assert.isTrue(done.every(({ action }) => action !== "request.refused"))
    assert.strictEqual((await server.get(`/tenants/${tenantId}/events?outcome=OTHER`)).status, 400)
  }, 120_000)

  it("403: key of a stranger → event in the tenant that it named; in its own tenant none", async () => {
    const server = current()
    const { tenantId } = await server.makeBucket()
    const other = await server.makeBucket()
    const key = await server.makeToken(other.tenantId, "Admin")
    const unknown = `${tenantId.slice(0, -4)}0000`
    for (const id of [tenantId, unknown, "nonsense"]) {
      const answer = await server.get(`/tenants/${id}/buckets`, { key })
      assert.strictEqual(answer.status, 403)
    }
    const [event] = await awaitRefused(server, tenantId, 1)
    expect(event).toMatchObject({
      actor: { kind: "TOKEN" },
      detail: { reason: "forbidden", permission: "bucket:read" }
    })
    assert.deepStrictEqual(await list(server, other.tenantId, "outcome=REFUSED"), [])
  })

  it("401: revoked token of the tenant → event; unknown key → none", async () => {
    const server = current()
    const { tenantId } = await server.makeBucket()
    const key = await server.makeToken(tenantId, "Admin")
    const [made] = await list(server, tenantId, "action=token.created")
    const tokenId = made?.target.id
    assert.strictEqual((await server.request("DELETE", `/tenants/${tenantId}/tokens/${tokenId}`, {})).status, 204)
    for (const invalid of [key, `hf_${"A".repeat(49)}`]) {
      assert.strictEqual((await server.get(`/tenants/${tenantId}`, { key: invalid })).status, 401)
    }
    const refused = await awaitRefused(server, tenantId, 1)
    expect(refused).toMatchObject([
      { actor: { kind: "TOKEN", tokenId }, detail: { reason: "unauthenticated", count: 1 } }
    ])
  })
})

it("429: key above its rate → event with the policy", async () => {
  const server = await TestServer.start({ settings: { keyRate: { requests: 200, window: Duration.hours(1) } } })
  onTestFinished(() => server.close())
  const { tenantId } = await server.makeBucket()
  const key = await server.makeToken(tenantId, "Admin")
  const statuses: Array<number> = []
  for (let i = 0; i < 210; i++) statuses.push((await server.get(`/tenants/${tenantId}`, { key })).status)
  assert.strictEqual(statuses.at(-1), 429)
  const [event] = await awaitRefused(server, tenantId, 1)
  expect(event).toMatchObject({ actor: { kind: "TOKEN" }, detail: { reason: "rate_limited", policy: "key" } })
})
