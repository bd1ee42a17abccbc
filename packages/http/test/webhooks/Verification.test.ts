/**
 * Receivers as the page on webhooks shows them, with the deliveries of a service.
 */
import { verifyWebhook, type WebhookEvent } from "@holdfast/client/webhooks"
import { getRequestListener } from "@hono/node-server"
import express from "express"
import fastify from "fastify"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import * as DeliveryService from "./DeliveryService.ts"
import * as Receiver from "./Receiver.ts"

const { createFile, createWebhook } = DeliveryService

type Keep = (event: WebhookEvent) => Promise<void>

/** Express writes the error that a route does not handle to the console, except in tests. */
const makeExpress = (secret: string, keep: Keep): RequestListener => {
  const app = express().set("env", "test")
  // oxlint-disable-next-line no-async-endpoint-handlers -- Express 5 handles the rejection.
  app.post("/hooks/files", express.text({ type: "application/json" }), async (request, response) => {
    const event = await verifyWebhook({ secret, headers: request.headers, body: request.body })
    await keep(event)
    response.sendStatus(204)
  })
  app.post("/parsed/hooks/files", express.json(), async ({ body, headers }, response) => {
    await verifyWebhook({ secret, headers, body })
    response.sendStatus(204)
  })
  return app
}

const makeFastify = async (secret: string, keep: Keep): Promise<RequestListener> => {
  const app = fastify()
  app.post("/json", ({ body }) => ({ type: typeof body }))
  await app.register(async (hooks) => {
    hooks.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => done(null, body))
    hooks.post<{ Body: string }>("/hooks/files", async ({ body, headers }, reply) => {
      const event = await verifyWebhook({ secret, headers, body })
      await keep(event)
      return reply.code(204).send()
    })
  })
  await app.ready()
  onTestFinished(() => app.close())
  return (request, response) => app.routing(request, response)
}

const makeWeb = (secret: string, keep: Keep): RequestListener => {
  const POST = async (request: Request): Promise<Response> => {
    const event = await verifyWebhook({ secret, headers: request.headers, body: await request.text() })
    await keep(event)
    return new Response(null, { status: 204 })
  }
  // It would replace the `Request` and `Response` of all test files that share the process.
  return getRequestListener(POST, { overrideGlobalObjects: false })
}

/** Starts a server until the test ends. `use` sets what answers its requests. */
const listen = async () => {
  let listener: RequestListener | undefined
  const server = createServer((request, response) => listener?.(request, response))
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, use: (next: RequestListener) => void (listener = next) }
}

const post = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body })

it(
  "receivers on Express, Fastify and web requests → the event of each delivery; another secret, no headers, a parsed body → 400",
  { timeout: 60_000 },
  async () => {
    const service = await DeliveryService.start()
    const { bucketId, tenantId } = service
    const observer = await Receiver.start()
    await createWebhook(service, observer.url)
    const hosts = await Promise.all(
      [makeExpress, makeFastify, makeWeb].map(async (make) => {
        const events: Array<WebhookEvent> = []
        const { url, use } = await listen()
        const { secret } = await createWebhook(service, `${url}/hooks/files`)
        use(await make(secret, async (event) => void events.push(event)))
        return { events, url, secret }
      })
    )
    const fileId = await createFile(service, "a.txt")
    const delivered = {
      id: expect.stringMatching(/^evt_/),
      type: "file.created",
      timestamp: expect.stringMatching(/Z$/),
      data: { tenantId, bucketId, fileId, version: 0, size: null, etag: null }
    }
    for (const { events } of hosts) await expect.poll(() => events).toEqual([delivered])

    // The service has signed it with the secret of another webhook.
    await expect.poll(() => observer.received.length).toBe(1)
    const [{ body, headers } = { body: "", headers: {} }] = observer.received
    const signed = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("webhook-")))
    for (const { url } of hosts.slice(0, 2)) {
      expect((await post(`${url}/hooks/files`, signed, body)).status).toBe(400)
      expect((await post(`${url}/hooks/files`, {}, "{}")).status).toBe(400)
    }
    const [inExpress, inFastify] = hosts
    const parsed = await post(`${inExpress?.url}/parsed/hooks/files`, signed, body)
    expect([parsed.status, await parsed.text()]).toEqual([400, expect.stringContaining("neither text nor bytes")])
    // Other routes of Fastify get parsed bodies.
    expect(await (await post(`${inFastify?.url}/json`, {}, "{}")).json()).toEqual({ type: "object" })
    for (const { events } of hosts) expect(events).toHaveLength(1)
  }
)
