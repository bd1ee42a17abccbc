import * as Holdfast from "@holdfast/core"
import { webhooks } from "@holdfast/outbound"
import { Webhook } from "standardwebhooks"
import { inspect } from "node:util"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, expect, it, onTestFinished } from "vitest"
import { makeDirectory, openIn, rejection } from "./support.ts"

const secretKey = new Uint8Array(32).fill(7)
const settings = { webhooksAllowPrivate: true }

interface Received {
  readonly headers: Record<string, string>
  readonly body: string
}

/** Starts an endpoint on the loopback interface until the test ends. It answers 204 when `answer` resolves. */
const startEndpoint = async (answer: () => Promise<unknown> = async () => undefined) => {
  const received: Array<Received> = []
  const server = Http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      received.push({ headers, body: Buffer.concat(chunks).toString() })
      void answer().then(() => response.writeHead(204).end())
    })
  })
  let connections = 0
  server.on("connection", () => connections++)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    received,
    connections: () => connections
  }
}

const setUp = async (options: Partial<Holdfast.OpenOptions>, directory = makeDirectory()) => {
  const holdfast = await openIn(directory, options)
  const owner = holdfast.account("ada@example.com")
  const { id: tenantId } = await holdfast.tenants.create(owner, { name: "T", subdomain: "acme" })
  return { directory, holdfast, owner, tenantId }
}

describe("holdfast.webhooks", () => {
  it("life of a webhook → records with dates, the secret only where it is new", async () => {
    const { holdfast, owner, tenantId } = await setUp({ secretKey, webhooks: "elsewhere" })
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
  })

  it("event type that does not exist → does not compile; InvalidRequest that lists those of the resource, or the prefixes", async () => {
    const { holdfast, owner, tenantId } = await setUp({ secretKey, webhooks: "elsewhere" })
    const input = { tenantId, name: "w", url: "https://example.com/events" }
    // @ts-expect-error No event has this action.
    const noAction = await rejection(holdfast.webhooks.create(owner, { ...input, eventTypes: ["*", "file.uploaded"] }))
    assert.instanceOf(noAction, Holdfast.InvalidRequest)
    assert.deepStrictEqual(noAction.errors, [
      {
        pointer: "/eventTypes/1",
        detail: "must be * for all events, file. for file.created, file.updated, file.deleted, or one of these"
      }
    ])
    // @ts-expect-error No event has this prefix, and events of refused requests are not sent.
    const noPrefix = await rejection(holdfast.webhooks.create(owner, { ...input, eventTypes: ["files.", "request."] }))
    assert.instanceOf(noPrefix, Holdfast.InvalidRequest)
    assert.lengthOf(noPrefix.errors, 2)
    for (const prefix of ["tenant.", "file.", "content.", "share."]) assert.include(noPrefix.message, prefix)
    const eventTypes = ["file.", "content.replaced", "token.s3_credentials_created"] as const
    assert.deepStrictEqual((await holdfast.webhooks.create(owner, { ...input, eventTypes })).eventTypes, eventTypes)
  })

  it("create: no secret key, nothing that sends → WebhooksUnavailable with the option; one more than the quota → QuotaExceeded", async () => {
    const create = async (options: Partial<Holdfast.OpenOptions>) => {
      const { holdfast, owner, tenantId } = await setUp(options)
      return await rejection(holdfast.webhooks.create(owner, { tenantId, name: "w", url: "https://example.com/" }))
    }
    const noKey = await create({ webhooks: "elsewhere" })
    assert.instanceOf(noKey, Holdfast.WebhooksUnavailable)
    assert.match(noKey.message, /HOLDFAST_SECRET_KEY.*secretKey of open\(\)/)
    const noSender = await create({ secretKey })
    assert.instanceOf(noSender, Holdfast.WebhooksUnavailable)
    assert.match(noSender.message, /options webhooks and secretKey of open\(\).*@holdfast\/outbound/)
    const options = { secretKey, webhooks: "elsewhere", settings: { quota: { webhooks: 0 } } } as const
    assert.instanceOf(await create(options), Holdfast.QuotaExceeded)
  })

  it("webhooks(): events and tests → sent, signed and recorded, also those of a process that sends elsewhere", async () => {
    const { received, url } = await startEndpoint()
    const other = await setUp({ secretKey, settings, webhooks: "elsewhere" })
    const { directory, tenantId } = other
    const { id: webhookId, secret } = await other.holdfast.webhooks.create(other.owner, { tenantId, name: "w", url })
    const ref = { tenantId, webhookId }
    const { deliveryId } = await other.holdfast.webhooks.test(other.owner, ref)
    await other.holdfast.close()

    const holdfast = await openIn(directory, { secretKey, settings, webhooks: webhooks() })
    const owner = holdfast.account("ada@example.com")
    await expect
      .poll(() => holdfast.webhooks.delivery(owner, { ...ref, deliveryId }))
      .toMatchObject({ state: "DELIVERED", attempts: 1, lastAttempt: { status: 204, error: null } })
    const { id: bucketId } = await holdfast.buckets.create(owner, { tenantId, name: "media" })
    await expect.poll(() => received.length).toBe(2)
    const payloads = received.map(({ body, headers }) => new Webhook(secret).verify(body, headers))
    expect(payloads).toMatchObject([{ type: "webhook.test" }, { type: "bucket.created", data: { tenantId, bucketId } }])
  })

  it("webhookRequests: 1, several webhooks → one request at a time", async () => {
    const running = new Set<object>()
    let most = 0
    const answer = async () => {
      const request = {}
      running.add(request)
      most = Math.max(most, running.size)
      // Long enough for the worker to start what it may start at the same time.
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
      running.delete(request)
    }
    const endpoints = await Promise.all([startEndpoint(answer), startEndpoint(answer), startEndpoint(answer)])
    const options = { secretKey, settings, webhooks: webhooks(), webhookRequests: 1 }
    const { holdfast, owner, tenantId } = await setUp(options)
    const eventTypes = ["bucket."] as const
    for (const { url } of endpoints) await holdfast.webhooks.create(owner, { tenantId, name: "w", url, eventTypes })
    await holdfast.buckets.create(owner, { tenantId, name: "a" })
    await holdfast.buckets.create(owner, { tenantId, name: "b" })
    await expect.poll(() => endpoints.map(({ received }) => received.length), { timeout: 10_000 }).toEqual([2, 2, 2])
    expect(most).toBe(1)
  })

  it("webhooks(): private address, webhooksAllowPrivate absent → refused at creation and without a connection", async () => {
    const { connections, url } = await startEndpoint()
    const { directory, ...permissive } = await setUp({ secretKey, settings, webhooks: "elsewhere" })
    const { tenantId } = permissive
    const input = { tenantId, name: "w", url: url.replace("127.0.0.1", "localhost") }
    const { id: webhookId } = await permissive.holdfast.webhooks.create(permissive.owner, input)
    const ref = { tenantId, webhookId }
    const { deliveryId } = await permissive.holdfast.webhooks.test(permissive.owner, ref)
    await permissive.holdfast.close()

    const holdfast = await openIn(directory, { secretKey, webhooks: webhooks() })
    const owner = holdfast.account("ada@example.com")
    await expect
      .poll(() => holdfast.webhooks.delivery(owner, { ...ref, deliveryId }), { timeout: 10_000 })
      .toMatchObject({ lastAttempt: { status: null, error: "ADDRESS_REFUSED" } })
    expect(connections()).toBe(0)
    for (const host of ["127.0.0.1", "localhost", "[::1]", "169.254.169.254"]) {
      const error = await rejection(holdfast.webhooks.create(owner, { ...input, url: `https://${host}/` }))
      assert.instanceOf(error, Holdfast.InvalidRequest)
      assert.deepStrictEqual(error.errors, [{ pointer: "/url", detail: "must have a host on the public Internet" }])
    }
  })

  it("test: nothing that sends → WebhooksUnavailable", async () => {
    const { directory, ...former } = await setUp({ secretKey, webhooks: "elsewhere" })
    const { tenantId } = former
    const input = { tenantId, name: "w", url: "https://example.com/" }
    const { id: webhookId } = await former.holdfast.webhooks.create(former.owner, input)
    await former.holdfast.close()
    const holdfast = await openIn(directory, { secretKey })
    const owner = holdfast.account("ada@example.com")
    const error = await rejection(holdfast.webhooks.test(owner, { tenantId, webhookId }))
    assert.instanceOf(error, Holdfast.WebhooksUnavailable)
  })
})
