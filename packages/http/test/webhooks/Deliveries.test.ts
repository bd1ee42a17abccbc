/**
 * What webhooks deliver, by a service and endpoints that listen on real sockets.
 */
import { requires } from "@holdfast/testing/Requires"
import type * as Http from "node:http"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Database from "../support/Database.ts"
import * as DeliveryService from "./DeliveryService.ts"
import * as Receiver from "./Receiver.ts"

const { createFile, createWebhook } = DeliveryService

interface Payload {
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

interface Delivery {
  readonly id: string
  readonly state: string
  readonly lastAttempt: { readonly error: string | null; readonly duration: number } | null
}

const verify = (secret: string, { body, headers }: Receiver.Received): Payload =>
  new Webhook(secret).verify(body, { ...headers }) as Payload

/** Declares the tests. `settings` returns the settings of an empty database. */
const declare = (settings: () => Promise<Readonly<Record<string, string>>>) => {
  it("file created → one signed, thin request, which the library of Standard Webhooks verifies", async () => {
    const service = await DeliveryService.start(await settings())
    const receiver = await Receiver.start()
    const { path, secret } = await createWebhook(service, `${receiver.url}/hook?tag=1`)
    const fileId = await createFile(service, "secret name.txt")
    await expect.poll(() => receiver.received.length).toBe(1)
    const [first] = receiver.received
    if (first === undefined) throw new Error("no request")
    expect(first.path).toBe("/hook?tag=1")
    expect(first.headers["content-type"]).toBe("application/json")
    const { tenantId, bucketId } = service
    expect(verify(secret, first)).toEqual({
      type: "file.created",
      timestamp: expect.stringMatching(/Z$/),
      data: { tenantId, bucketId, fileId, version: 0, size: null, etag: null }
    })
    expect(first.body).not.toContain("secret name")

    // After a rotation both secrets verify.
    const rotated = (await (await service.api.post(`${path}/rotate`)).json()) as { readonly secret: string }
    await createFile(service, "another.txt")
    await expect.poll(() => receiver.received.length).toBe(2)
    for (const one of [secret, rotated.secret]) {
      expect(verify(one, receiver.received[1] ?? first).type).toBe("file.created")
    }
    expect((await service.service.stop()).code).toBe(0)
  })

  it("ten endpoints, one of which never answers → the nine others get every event meanwhile", async () => {
    const service = await DeliveryService.start(await settings())
    const receivers = await Promise.all(Array.from({ length: 10 }, () => Receiver.start()))
    const [hanging, ...others] = receivers
    hanging?.answer(() => {})
    await Promise.all(receivers.map(({ url }) => createWebhook(service, url)))
    const names = Array.from({ length: 50 }, (_, index) => `${index}.txt`)
    await Promise.all(names.map((name) => createFile(service, name)))
    await expect
      .poll(() => others.map(({ received }) => received.length), { timeout: 12_000 })
      .toEqual(others.map(() => names.length))
    // One request to an endpoint at a time.
    expect(hanging?.received).toHaveLength(1)
    service.service.kill("SIGKILL")
  })

  it("endpoint answers with an error, then with success → the same id again, and the others in between", async () => {
    const service = await DeliveryService.start(await settings())
    const receiver = await Receiver.start()
    const { secret } = await createWebhook(service, receiver.url)
    receiver.answer((_, response) => void response.writeHead(500).end("a text that no user sees"))
    await createFile(service, "first.txt")
    await expect.poll(() => receiver.received.length).toBe(1)
    receiver.answer((_, response) => void response.writeHead(200).end())
    await createFile(service, "second.txt")
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(3)
    const [failed, , repeated] = receiver.received.map(({ headers }) => headers["webhook-id"])
    expect(repeated).toBe(failed)
    for (const one of receiver.received) expect(verify(secret, one).type).toBe("file.created")
  })

  it("failures of several kinds → listed with status and duration, without the response; replay → sent again", async () => {
    const service = await DeliveryService.start(await settings())
    const { api } = service
    const other = await Receiver.start()
    const receiver = await Receiver.start()
    const { path } = await createWebhook(service, receiver.url)
    const list = async (state = "PENDING") => {
      const answer = await api.get(`${path}/deliveries`, { query: { state } })
      return ((await answer.json()) as { readonly items: ReadonlyArray<Delivery> }).items
    }
    const kinds: ReadonlyArray<readonly [Http.RequestListener, object]> = [
      [(_, response) => void response.writeHead(302, { location: other.url }).end(), { status: 302, error: "STATUS" }],
      [(_, response) => void response.writeHead(429, { "retry-after": "1" }).end(), { status: 429, error: "STATUS" }],
      [(_, response) => void response.socket?.end("SSH-2.0\r\n"), { status: null, error: "INVALID_RESPONSE" }],
      [
        (_, response) => void response.writeHead(101, { connection: "upgrade", upgrade: "other" }).end(),
        { status: null, error: "INVALID_RESPONSE" }
      ],
      [(_, response) => void response.destroy(), { status: null, error: "CONNECTION" }]
    ]
    for (const [index, [listener, expected]] of kinds.entries()) {
      receiver.answer(listener)
      await createFile(service, `${index}.txt`)
      const attempted = async () => (await list()).find(({ lastAttempt }) => lastAttempt !== null)
      await expect.poll(attempted, { timeout: 20_000 }).toBeDefined()
      const delivery = await attempted()
      expect(delivery).toMatchObject({ type: "file.created", state: "PENDING", lastAttempt: expected })
      expect(delivery?.lastAttempt?.duration).toBeGreaterThanOrEqual(0)
      receiver.answer((_, response) => void response.writeHead(204).end())
      const replayed = await api.post(`${path}/deliveries/${delivery?.id}/replay`)
      expect(replayed.status).toBe(202)
      await expect.poll(async () => (await list("DELIVERED")).length, { timeout: 20_000 }).toBe(index + 1)
    }
    expect(other.received).toEqual([])

    // An endless response has a status: its body is dropped.
    receiver.answer((_, response) => {
      const write = () => {
        while (!response.destroyed && response.write("never shown ".repeat(1000)));
      }
      response.on("drain", write)
      write()
    })
    const [before] = await list("DELIVERED")
    expect((await api.post(`${path}/deliveries/${before?.id}/replay`)).status).toBe(202)
    const get = async () => (await api.get(`${path}/deliveries/${before?.id}`)).text()
    await expect.poll(get, { timeout: 20_000 }).toMatch(/"DELIVERED".*"status":200/)
    expect(await get()).not.toContain("never shown")
  })

  it("410 → the delivery is FAILED and the webhook DISABLED, with an event to others; nothing more is sent", async () => {
    const service = await DeliveryService.start(await settings())
    const receiver = await Receiver.start()
    const other = await Receiver.start()
    receiver.answer((_, response) => void response.writeHead(410).end())
    const { id, path } = await createWebhook(service, receiver.url)
    const { secret } = await createWebhook(service, other.url, { eventTypes: ["webhook.disabled"] })
    await createFile(service, "a.txt")
    await expect.poll(() => other.received.length, { timeout: 20_000 }).toBe(1)
    const [event] = other.received
    expect(event === undefined ? undefined : verify(secret, event)).toMatchObject({
      type: "webhook.disabled",
      data: { webhookId: id, reason: "GONE" }
    })
    expect(await (await service.api.get(path)).json()).toMatchObject({ state: "DISABLED", disabledReason: "GONE" })
    await createFile(service, "b.txt")
    const { items } = (await (await service.api.get(`${path}/deliveries`)).json()) as {
      readonly items: ReadonlyArray<Delivery>
    }
    expect(items).toMatchObject([{ state: "FAILED", lastAttempt: { status: 410 }, nextAttemptAt: null }])
  })

  it("name of a private address → refused without a connection", async () => {
    const connection = await settings()
    const permissive = await DeliveryService.start(connection)
    const receiver = await Receiver.start()
    const { path } = await createWebhook(permissive, receiver.url.replace("127.0.0.1", "localhost"))
    await permissive.service.stop()
    const service = await DeliveryService.restart(permissive, { ...connection, HOLDFAST_WEBHOOKS_ALLOW_PRIVATE: "off" })
    await createFile(service, "a.txt")
    const error = async () => {
      const answer = await service.api.get(`${path}/deliveries`)
      const { items } = (await answer.json()) as { readonly items: ReadonlyArray<Delivery> }
      return items[0]?.lastAttempt
    }
    await expect.poll(error, { timeout: 20_000 }).toMatchObject({ status: null, error: "ADDRESS_REFUSED" })
    expect(receiver.connections()).toBe(0)
  })

  it("SIGTERM while requests are sent → they are completed and recorded, and none is repeated", async () => {
    const connection = await settings()
    const service = await DeliveryService.start(connection)
    const receiver = await Receiver.start()
    await createWebhook(service, receiver.url)
    let release = () => {}
    receiver.answer((_, response) => {
      release = () => void response.writeHead(204).end()
    })
    await createFile(service, "first.txt")
    await expect.poll(() => receiver.received.length).toBe(1)
    const stopped = service.service.stop()
    setTimeout(() => release(), 500)
    expect((await stopped).code).toBe(0)
    receiver.answer((_, response) => void response.writeHead(204).end())
    const next = await DeliveryService.restart(service, connection)
    await createFile(next, "second.txt")
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2)
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(2)
  })
}

describe("deliveries on SQLite", () => declare(async () => ({})))

requires(Database.missing).describe("deliveries on PostgreSQL", () => {
  let database: Database.Database
  beforeAll(async () => void (database = await Database.start()), 60_000)
  afterAll(() => database.close())
  declare(async () => ({ DATABASE_URL: await database.create() }))
})
