/**
 * What the operator and a tenant learn when a limit is reached, by a running service.
 */
import { requires } from "@holdfast/testing/Requires"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Database from "../support/Database.ts"
import * as DeliveryService from "../webhooks/DeliveryService.ts"
import * as Receiver from "../webhooks/Receiver.ts"

const { createFile, createWebhook } = DeliveryService

/** Declares the tests. `settings` returns the settings of an empty database. */
const declare = (settings: () => Promise<Readonly<Record<string, string>>>) => {
  it("files up to the limit and beyond → webhook gets two events, event names the actor, metrics count the tenant", async () => {
    const service = await DeliveryService.start({ ...(await settings()), HOLDFAST_QUOTA_FILES: "10" })
    const { api, tenantId } = service
    const receiver = await Receiver.start()
    await createWebhook(service, receiver.url, { eventTypes: ["quota.", "webhook.test"] })
    for (let number = 0; number < 10; number++) await createFile(service, `${number}.txt`)
    for (let number = 0; number < 5; number++) {
      const refused = await api.post(service.files, { json: { name: "one too many" } })
      expect(refused.status).toBe(403)
    }
    const reached = { tenantId, owner: "tenant", limit: "files", maximum: 10 }
    await expect.poll(() => receiver.received.length).toBe(2)
    const bodies = receiver.received.map(({ body }) => JSON.parse(body))
    expect(bodies).toMatchObject([
      { type: "quota.reached", data: { ...reached, percent: 80, use: 8 } },
      { type: "quota.reached", data: { ...reached, percent: 100, use: 10 } }
    ])
    const events = await (await api.get(`/tenants/${tenantId}/events`, { query: { action: "quota." } })).json()
    expect(events).toMatchObject({
      items: [
        { actor: { kind: "ACCOUNT" }, target: { type: "TENANT", id: tenantId }, detail: { percent: 100 } },
        { actor: { kind: "ACCOUNT" }, target: { type: "TENANT", id: tenantId }, detail: { percent: 80 } }
      ]
    })
    const metrics = async () => (await fetch(`${service.service.url}/metrics`)).text()
    await expect.poll(metrics, { timeout: 20_000 }).toMatch(/^holdfast_tenants_at_limit 1$/m)
    expect(await metrics()).toMatch(/^holdfast_tenants_near_limit 1$/m)
    expect(await metrics()).toMatch(/^holdfast_usage_drifts 0$/m)
  })
}

describe("reached limits on SQLite", () => declare(async () => ({})))

requires(Database.missing).describe("reached limits on PostgreSQL", () => {
  let database: Database.Database
  beforeAll(async () => void (database = await Database.start()), 60_000)
  afterAll(() => database.close())
  declare(async () => ({ DATABASE_URL: await database.create() }))
})
