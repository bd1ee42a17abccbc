import * as Holdfast from "@holdfast/core"
import { inspect } from "node:util"
import { assert, describe, it } from "vitest"
import { makeDirectory, openIn, rejection } from "./support.ts"

const secretKey = new Uint8Array(32).fill(7)

describe("holdfast.webhooks", () => {
  it("life of a webhook → records with dates, the secret only where it is new", async () => {
    const holdfast = await openIn(makeDirectory(), { secretKey })
    const owner = holdfast.account("ada@example.com")
    const { id: tenantId } = await holdfast.tenants.create(owner, { name: "T", subdomain: "acme" })
    const url = "https://example.com/events"
    const webhook = await holdfast.webhooks.create(owner, { tenantId, name: "w", url, eventTypes: ["file."] })
    assert.match(webhook.secret, /^whsec_/)
    assert.instanceOf(webhook.createdAt, Date)
    const ref = { tenantId, webhookId: webhook.id }
    const found = await holdfast.webhooks.get(owner, ref)
    assert.notInclude(JSON.stringify(found) + inspect(found), webhook.secret)
    assert.deepStrictEqual((await holdfast.webhooks.list(owner, { tenantId })).items, [found])

    const rotated = await holdfast.webhooks.rotate(owner, ref)
    assert.notStrictEqual(rotated.secret, webhook.secret)
    assert.instanceOf(rotated.formerSecretUntil, Date)
    assert.match((await holdfast.webhooks.test(owner, ref)).deliveryId, /^evt_/)
    assert.instanceOf((await holdfast.webhooks.recover(owner, { ...ref, since: new Date(0) })).recoveringSince, Date)
    const noTime: unknown = { ...ref, since: 1 }
    const error = await rejection(holdfast.webhooks.recover(owner, noTime as Holdfast.RecoverWebhookInput))
    assert.instanceOf(error, Holdfast.InvalidRequest)

    assert.strictEqual((await holdfast.webhooks.update(owner, { ...ref, state: "DISABLED" })).state, "DISABLED")
    assert.instanceOf(await rejection(holdfast.webhooks.test(owner, ref)), Holdfast.WebhookDisabled)
    await holdfast.webhooks.remove(owner, ref)
    assert.instanceOf(await rejection(holdfast.webhooks.get(owner, ref)), Holdfast.NotFound)
    await holdfast.close()
  })

  it("create: no secret key → WebhooksUnavailable; one more than the quota → QuotaExceeded", async () => {
    const input = { name: "w", url: "https://example.com/" }
    const create = async (options: Partial<Holdfast.OpenOptions>) => {
      const holdfast = await openIn(makeDirectory(), options)
      const owner = holdfast.account("ada@example.com")
      const { id: tenantId } = await holdfast.tenants.create(owner, { name: "T", subdomain: "acme" })
      const error = await rejection(holdfast.webhooks.create(owner, { tenantId, ...input }))
      await holdfast.close()
      return error
    }
    assert.instanceOf(await create({}), Holdfast.WebhooksUnavailable)
    assert.instanceOf(await create({ secretKey, settings: { quota: { webhooks: 0 } } }), Holdfast.QuotaExceeded)
  })
})
