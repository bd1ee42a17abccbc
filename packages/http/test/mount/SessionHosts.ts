/**
 * Hosts whose users have a session, one for each function that mounts the API.
 */
import type { ActorHandle } from "@holdfast/core"
import fastify from "fastify"
import type { IncomingMessage, RequestListener } from "node:http"
import { toFastify, toNodeListener, toWebHandler } from "../../src/index.ts"
import type { LimitOptions } from "../../src/mount/LimitOptions.ts"
import * as MountedHoldfast from "./MountedHoldfast.ts"

type Opened = MountedHoldfast.OpenHoldfast

/** The cookie of the session of `root@example.com`. */
export const cookie = "session=root"

/** The cookie of a session of the deployment itself. */
export const systemCookie = "session=system"

/** Returns the actor of a session, a cookie that is present or not. */
export const bySession =
  ({ holdfast }: Opened) =>
  (sent: string | null | undefined): ActorHandle | undefined =>
    sent?.includes(cookie) === true
      ? holdfast.account("root@example.com")
      : sent?.includes(systemCookie) === true
        ? holdfast.system()
        : undefined

const trustedOrigins = ["https://app.example.com"]

/** Hosts by name: each returns the URL under which it mounts the Holdfast. */
export const hosts: Readonly<Record<string, (opened: Opened, limits?: LimitOptions) => Promise<string>>> = {
  toNodeListener: (opened, limits) => {
    const session = bySession(opened)
    const authenticate = ({ headers }: IncomingMessage) => session(headers.cookie)
    return MountedHoldfast.serve(toNodeListener(opened.holdfast, { authenticate, trustedOrigins, ...limits }))
  },
  toFastify: async (opened, limits) => {
    const session = bySession(opened)
    const app = fastify()
    await app.register(
      toFastify(opened.holdfast, {
        authenticate: ({ raw }) => session(raw.headers.cookie),
        trustedOrigins,
        ...limits
      }),
      { prefix: "/files" }
    )
    await app.listen({ port: 0, host: "127.0.0.1" })
    return `${await MountedHoldfast.urlOf(app.server)}/files`
  },
  toWebHandler: async (opened, limits) => {
    const session = bySession(opened)
    const handler = toWebHandler(opened.holdfast, {
      authenticate: ({ headers }) => session(headers.get("cookie")),
      trustedOrigins,
      ...limits
    })
    const listener: RequestListener = async (request, response) => {
      const headers = new Headers(
        Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
      )
      const chunks: Array<Uint8Array<ArrayBuffer>> = []
      for await (const chunk of request) chunks.push(chunk)
      const body = chunks.length === 0 ? null : new Blob(chunks)
      const init = { method: request.method ?? "", headers, body }
      const answer = await handler(new Request(`http://${request.headers.host}${request.url}`, init))
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    }
    return MountedHoldfast.serve(listener)
  }
}
