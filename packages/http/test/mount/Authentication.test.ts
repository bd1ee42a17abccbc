import type { ActorHandle } from "@holdfast/core"
import express from "express"
import fastify, { type FastifyRequest } from "fastify"
import { type Context, Hono } from "hono"
import type { IncomingMessage } from "node:http"
import { expect, it, vi } from "vitest"
import { toFastify, toNodeListener, toWebHandler } from "../../src/index.ts"
import { expectProblem, json } from "../support/Problems.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

const setUp = async () => {
  const opened = await MountedHoldfast.openHoldfast()
  const { holdfast, ref } = opened
  await holdfast.members.add(holdfast.system(), {
    tenantId: ref.tenantId,
    user: { email: "reader@example.com" },
    role: { name: "File Reader" }
  })
  /** Finds the actor by a name in a cookie, as a session would. */
  const byCookie = (cookie: string | null | undefined): ActorHandle | undefined =>
    cookie?.startsWith("user=") ? holdfast.account(cookie.slice("user=".length)) : undefined
  return { ...opened, byCookie }
}

const expectAuthenticated = async (url: string, opened: Awaited<ReturnType<typeof setUp>>) => {
  const { files } = opened
  const api = MountedHoldfast.requests(url, opened)
  const as = (email: string) => ({ key: null, headers: { cookie: `user=${email}` } })
  const own = await api.post(files, { ...as("root@example.com"), json: { name: "a" } })
  expect([own.status, own.headers.get("location")]).toEqual([201, expect.stringContaining("/files/api/v1/")])
  expect((await api.get(files, as("reader@example.com"))).status).toBe(200)
  await expectProblem(await api.post(files, { ...as("reader@example.com"), json: { name: "b" } }), 403, "forbidden")
  await expectProblem(await api.get(files, as("stranger@example.com")), 403, "forbidden")
  // Without a session the key determines the actor.
  expect((await api.get(files)).status).toBe(200)
  await expectProblem(await api.get(files, { key: null }), 401, "unauthenticated")
  // A session takes precedence over a key.
  await expectProblem(
    await api.post(files, { headers: { cookie: "user=reader@example.com" }, json: { name: "c" } }),
    403,
    "forbidden"
  )
}

it("toNodeListener: user set by Express middleware → actor of the request", async () => {
  const opened = await setUp()
  interface WithUser extends IncomingMessage {
    user?: ActorHandle | undefined
  }
  const app = express().use((request: WithUser, _response, next) => {
    request.user = opened.byCookie(request.headers.cookie)
    next()
  })
  app.use(express.json()).use("/files", toNodeListener(opened.holdfast, { authenticate: ({ user }: WithUser) => user }))
  const server = app.listen(0, "127.0.0.1")
  await expectAuthenticated(`${await MountedHoldfast.urlOf(server)}/files`, opened)
})

it("toFastify: user from Fastify's request → actor of the request", async () => {
  const opened = await setUp()
  const app = fastify()
  const authenticate = async (request: FastifyRequest) => opened.byCookie(request.headers.cookie)
  await app.register(toFastify(opened.holdfast, { authenticate }), { prefix: "/files" })
  app.post("/own", (request) => ({ got: request.body }))
  await app.listen({ port: 0, host: "127.0.0.1" })
  const url = await MountedHoldfast.urlOf(app.server)
  await expectAuthenticated(`${url}/files`, opened)
  // The parsers of the host's own routes still work.
  const own = await fetch(`${url}/own`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })
  expect(await own.json()).toEqual({ got: {} })
})

it("toWebHandler: user from Hono's context → actor of the request", async () => {
  const opened = await setUp()
  const app = new Hono<{ Variables: { user: ActorHandle | undefined } }>()
  type Host = Context<{ Variables: { user: ActorHandle | undefined } }>
  const handler = toWebHandler<Host>(opened.holdfast, {
    prefix: "/files",
    authenticate: (_request, c) => c.get("user")
  })
  app.use(async (c, next) => {
    c.set("user", opened.byCookie(c.req.header("cookie")))
    await next()
  })
  app.all("/files/*", (c) => handler(c.req.raw, c))
  const answer = await app.request(`/files/api/v1${opened.files}`, { headers: { cookie: "user=reader@example.com" } })
  expect(answer.status).toBe(200)
  await expectProblem(await app.request(`/files/api/v1${opened.files}`), 401, "unauthenticated")
})

it("authenticate: foreign actor, exception or invalid address → 500, no access", async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined)
  const opened = await setUp()
  const other = await MountedHoldfast.openHoldfast()
  const answers: ReadonlyArray<() => ActorHandle> = [
    () => other.root,
    () => {
      throw new Error("session store not available")
    },
    () => opened.holdfast.account("no address")
  ]
  for (const authenticate of answers) {
    const handler = MountedHoldfast.toFetch(toWebHandler(opened.holdfast, { authenticate }), opened)
    await expectProblem(await handler("GET", `http://host/api/v1${opened.files}`), 500, "internal")
  }
  const revoked = await opened.holdfast.keys.create(opened.holdfast.system(), { email: "root@example.com", name: "2" })
  await opened.holdfast.keys.revoke(opened.holdfast.system(), { keyId: revoked.id })
  const handler = MountedHoldfast.toFetch(
    toWebHandler(opened.holdfast, { authenticate: () => opened.holdfast.as(revoked.key) }),
    opened
  )
  await expectProblem(await handler("GET", `http://host/api/v1${opened.files}`), 401, "unauthenticated")
  expect(await json(await handler("GET", "http://host/api/v1/nowhere"))).toMatchObject({ code: "not_found" })
  vi.restoreAllMocks()
})
