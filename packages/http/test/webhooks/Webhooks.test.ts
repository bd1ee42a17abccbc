/**
 * The operations on webhooks, except what they deliver.
 */
import { SecretBox } from "@holdfast/core/secrets/SecretBox"
import { WebhookRepository } from "@holdfast/core/webhooks/WebhookRepository"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Settings from "@holdfast/core/Settings"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, json } from "../support/Problems.ts"
import * as ServiceBucket from "../support/ServiceBucket.ts"
import * as TestServer from "../support/TestServer.ts"

interface Webhook {
  readonly id: string
  readonly secret?: string
  readonly [name: string]: unknown
}

const url = "https://example.com/events"

describe("webhooks", () => {
  let server: TestServer.TestServer
  beforeAll(async () => {
    server = await TestServer.start({ settings: { quota: { ...Settings.defaults.quota, webhooks: 3 } } })
  })
  afterAll(() => server.close())

  const start = async () => {
    const { bucketId, tenantId } = await server.makeBucket()
    const webhooks = `/tenants/${tenantId}/webhooks`
    const create = async (fields: object = {}) => {
      const answer = await server.post(webhooks, { json: { name: "w", url, ...fields } })
      expect(answer.status).toBe(201)
      const webhook = await json<Webhook>(answer)
      return { ...webhook, answer, path: `${webhooks}/${webhook.id}` }
    }
    return { bucketId, tenantId, webhooks, create }
  }

  /** Returns the secrets as the worker reads them. */
  const readSecrets = (tenantId: string, webhookId: string) =>
    server.run(
      Effect.gen(function* () {
        const found = yield* (yield* WebhookRepository).find({ tenantId, webhookId })
        const { formerSecret, secret } = yield* Effect.fromOption(found)
        const box = yield* SecretBox
        const open = (sealed: string) => Effect.map(box.open(sealed, webhookId), Redacted.value)
        return {
          sealed: [secret, formerSecret?.secret ?? ""],
          secret: yield* open(secret),
          former: formerSecret === null ? null : yield* open(formerSecret.secret)
        }
      })
    )

  it("create → 201 with the secret, Location; get and list → the record without it", async () => {
    const { bucketId, create, tenantId, webhooks } = await start()
    const { answer, id, path, secret, ...created } = await create({ eventTypes: ["file.", "bucket.created"], bucketId })
    expect(answer.headers.get("location")).toBe(`/api/v1${path}`)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
    const record = await json<Webhook>(await server.get(path))
    expect(record).toEqual({ id, ...created })
    expect(record).toEqual({
      id: expect.stringMatching(/^whk_/),
      name: "w",
      url,
      eventTypes: ["file.", "bucket.created"],
      bucketId,
      state: "ACTIVE",
      disabledReason: null,
      failingSince: null,
      formerSecretUntil: null,
      recoveringSince: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String)
    })
    expect(await json(await server.get(webhooks))).toEqual({ items: [record], nextCursor: null })
    const stored = await readSecrets(tenantId, id)
    expect(stored.secret).toBe(secret)
    expect(JSON.stringify(stored.sealed)).not.toContain(secret?.slice(6))
  })

  it("create: defaults → all events of the tenant", async () => {
    const { create } = await start()
    expect(await create()).toMatchObject({ eventTypes: ["*"], bucketId: null })
  })

  it.each([
    ["/url", { url: "http://example.com/" }],
    ["/url", { url: "ftp://example.com/" }],
    ["/url", { url: "no URL" }],
    ["/url", { url: "https://user:secret@example.com/" }],
    ["/url", { url: "https://example.com/#" }],
    ["/url", { url: `https://example.com/${"a".repeat(2048)}` }],
    ["/eventTypes/0", { eventTypes: ["file.destroyed"] }],
    ["/eventTypes/0", { eventTypes: ["file"] }],
    ["/eventTypes/0", { eventTypes: ["request.refused"] }],
    ["/eventTypes/1", { eventTypes: ["*", "fil."] }],
    ["/eventTypes", { eventTypes: [] }],
    ["/eventTypes", { eventTypes: Array.from({ length: 51 }, () => "*") }],
    ["/bucketId", { bucketId: "bkt_01890a5d-ac96-774b-bcce-b302099a8057" }],
    ["/bucketId", { bucketId: "x" }],
    ["/name", { name: " " }]
  ])("create and update: fault at %s of %j → 400", async (pointer, fields) => {
    const { create, webhooks } = await start()
    const expected = [expect.objectContaining({ pointer })]
    const created = await server.post(webhooks, { json: { name: "w", url, ...fields } })
    expect((await expectProblem(created, 400, "invalid_request")).errors).toEqual(expected)
    const { path } = await create()
    const updated = await server.patch(path, { json: fields })
    expect((await expectProblem(updated, 400, "invalid_request")).errors).toEqual(expected)
  })

  it("create: more than the quota permits → 403; after a removal → 201", async () => {
    const { create, webhooks } = await start()
    const { path } = await create()
    await create()
    await create()
    await expectProblem(await server.post(webhooks, { json: { name: "w", url } }), 403, "quota_exceeded")
    expect((await server.delete(path)).status).toBe(204)
    expect((await server.get(path)).status).toBe(404)
    await create()
  })

  it("update: state and fields → record; test of a DISABLED webhook → 409", async () => {
    const { create } = await start()
    const { path } = await create()
    const disabled = await json(await server.patch(path, { json: { state: "DISABLED", name: "New" } }))
    expect(disabled).toMatchObject({ state: "DISABLED", disabledReason: "REQUESTED", name: "New" })
    await expectProblem(await server.post(`${path}/test`), 409, "webhook_disabled")
    const active = await json(await server.patch(path, { json: { state: "ACTIVE" } }))
    expect(active).toMatchObject({ state: "ACTIVE", disabledReason: null, name: "New" })
    const answer = await server.post(`${path}/test`)
    expect(answer.status).toBe(202)
    expect(await json(answer)).toEqual({ deliveryId: expect.stringMatching(/^evt_/) })
  })

  it("rotate → another secret; the former one is kept for 24 hours", async () => {
    const { create, tenantId } = await start()
    const { id, path, secret } = await create()
    const answer = await server.post(`${path}/rotate`)
    expect(answer.status).toBe(200)
    const rotated = await json<Webhook>(answer)
    expect(rotated.secret).toMatch(/^whsec_/)
    expect(rotated.secret).not.toBe(secret)
    const until = Date.parse(String(rotated["formerSecretUntil"])) - Date.now()
    expect(Math.abs(until - 86_400_000)).toBeLessThan(60_000)
    expect(await readSecrets(tenantId, id)).toMatchObject({ secret: rotated.secret, former: secret })
    const events = await (await server.get(`/tenants/${tenantId}/events?action=webhook.`)).text()
    for (const text of [secret, rotated.secret, url]) expect(events).not.toContain(text?.slice(6))
  })

  it("recover: time in the future or no time → 400", async () => {
    const { create } = await start()
    const { path } = await create()
    const since = new Date(Date.now() + 3_600_000).toISOString()
    for (const body of [{ since }, { since: "yesterday" }, {}]) {
      const answer = await server.post(`${path}/recover`, { json: body })
      const { errors } = await expectProblem(answer, 400, "invalid_request")
      expect(errors).toEqual([expect.objectContaining({ pointer: "/since" })])
    }
  })

  it("tenant removed → its webhooks too", async () => {
    const { create, tenantId } = await start()
    const { id } = await create()
    expect((await server.delete(`/tenants/${tenantId}?force=true`)).status).toBe(204)
    const found = await server.run(Effect.flatMap(WebhookRepository, (all) => all.find({ tenantId, webhookId: id })))
    expect(found._tag).toBe("None")
  })
})

describe("webhooks of the service", () => {
  const privateUrls = ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "2130706433", "169.254.169.254"].map(
    (host) => `https://${host}/hook`
  )

  it("private addresses → 400", { timeout: 60_000 }, async () => {
    const { api, tenantId } = await ServiceBucket.start()
    for (const url of [...privateUrls, "http://example.com/"]) {
      const answer = await api.post(`/tenants/${tenantId}/webhooks`, { json: { name: "w", url } })
      expect((await expectProblem(answer, 400, "invalid_request")).errors).toEqual([
        expect.objectContaining({ pointer: "/url" })
      ])
    }
  })

  it(
    "private addresses and http, allowed by the operator → 201; limit of the operator → 403",
    { timeout: 60_000 },
    async () => {
      const env = { HOLDFAST_WEBHOOKS_ALLOW_PRIVATE: "on", HOLDFAST_QUOTA_WEBHOOKS: "7" }
      const { api, tenantId } = await ServiceBucket.start({ env })
      const create = (url: string) => api.post(`/tenants/${tenantId}/webhooks`, { json: { name: "w", url } })
      for (const url of [...privateUrls, "http://127.0.0.1:1/"]) expect((await create(url)).status, url).toBe(201)
      await expectProblem(await create(url), 403, "quota_exceeded")
    }
  )
})
