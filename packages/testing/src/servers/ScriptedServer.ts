/**
 * An HTTP server whose responses a test writes, for responses that no healthy service sends.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { type AddressInfo, isIPv6 } from "node:net"
import type { Certificate } from "./Certificate.ts"

/** A request with its whole body. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

/** Responds to a request. */
export type Respond = (request: ReceivedRequest, response: ServerResponse) => void

export interface Options {
  /** Serves HTTPS with it. HTTP when absent. */
  readonly certificate?: Certificate | undefined
  /** Default: 127.0.0.1. */
  readonly address?: "127.0.0.1" | "::1" | undefined
  /** Responds to requests that are not recorded. Returns whether it did. */
  readonly respondFirst?: (request: ReceivedRequest, response: ServerResponse) => boolean
}

export interface ScriptedServer {
  /** The server's URL, without a path. */
  readonly endpoint: string
  /** The requests so far, in order. */
  readonly requests: ReadonlyArray<ReceivedRequest>
}

/** Returns the paths of the requests with a method. */
export const paths = (requests: ReadonlyArray<ReceivedRequest>, method: string): ReadonlySet<string> =>
  new Set(requests.filter((request) => request.method === method).map(({ url }) => url.pathname))

/** Serves until the scope closes. */
export const open = (
  respond: Respond,
  { address = "127.0.0.1", certificate, respondFirst }: Options = {}
): Effect.Effect<ScriptedServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const requests: Array<ReceivedRequest> = []
    const listener: RequestListener = (request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const { headers, method = "", url = "/" } = request
        const received = { method, url: new URL(url, "http://service"), headers, body: Buffer.concat(chunks) }
        if (respondFirst?.(received, response) === true) return
        requests.push(received)
        respond(received, response)
      })
    }
    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener)
        server.listen(0, address, () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const { port } = server.address() as AddressInfo
    const host = isIPv6(address) ? `[${address}]` : address
    return { endpoint: `${certificate === undefined ? "http" : "https"}://${host}:${port}`, requests }
  })
