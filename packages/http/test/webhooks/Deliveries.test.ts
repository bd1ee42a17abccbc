/**
 * What webhooks deliver, by a service and endpoints that listen on real sockets.
 */
import { requires } from "@holdfast/testing/Requires"
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
