/**
 * An app with one handler on a real `node:http` server, and a client that sends and receives raw bytes.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { type AddressInfo, connect as connectSocket, type Socket } from "node:net"
import { setImmediate as turn } from "node:timers/promises"
import { PacedResponse } from "../../../src/server/listener/pacing/PacedResponse.ts"

type Handler<E> = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, Scope.Scope>

/** Polls until a condition holds. Throws after ten seconds. */
export const until = async (holds: () => boolean): Promise<void> => {
  const begin = performance.now()
  while (!holds()) {
    if (performance.now() - begin > 10_000) throw new Error(`The condition did not hold within ten seconds: ${holds}`)
    await turn()
  }
}

const statusOf: Readonly<Record<string, number>> = {
  ContentTooLarge: 413,
  RangeNotSatisfiable: 416,
  PreconditionFailed: 412
}

/** The response for an error of the handler: `<tag> <faults>`. */
const errorResponse = (error: unknown): HttpServerResponse.HttpServerResponse => {
  const tag = error instanceof Error && "_tag" in error ? String(error._tag) : "Unknown"
  const faults = error instanceof Error && "errors" in error ? ` ${JSON.stringify(error.errors)}` : ""
  return HttpServerResponse.text(`${tag}${faults}`, { status: statusOf[tag] ?? 400 })
}

export interface App {
  readonly port: number
  readonly server: Server
  /** The number of open connections. */
  readonly connections: () => number
}

export const listen = Effect.fnUntraced(function* <E>(
  handler: Handler<E>,
  configure: (server: Server, listener: RequestListener) => void = (server, listener) =>
    void server.on("request", listener)
): Effect.fn.Return<App, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const app = HttpServerRequest.HttpServerRequest.pipe(
    Effect.flatMap((request) => handler(request)),
    Effect.interruptible,
    Effect.catch((error) => Effect.succeed(errorResponse(error)))
  )
  const listener = yield* NodeHttpServer.makeHandler(app, { scope })
  const server = createServer({
    ServerResponse: PacedResponse,
    requestTimeout: 0,
    headersTimeout: 60_000,
    keepAliveTimeout: 60_000
  })
  configure(server, listener)
  let connections = 0
  server.on("connection", (socket: Socket) => {
    connections++
    socket.once("close", () => connections--)
  })
  server.listen(0, "127.0.0.1")
  yield* Effect.promise(() => once(server, "listening"))
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
  )
  const { port } = server.address() as AddressInfo
  return { port, server, connections: () => connections }
})

export interface Client {
  readonly socket: Socket
  readonly send: (...bytes: ReadonlyArray<string | Uint8Array>) => void
  /** All bytes received so far. */
  readonly received: () => Buffer
  /** The number of bytes received so far. */
  readonly length: () => number
  readonly text: () => string
  /** Waits until the received bytes match a pattern. */
  readonly saw: (pattern: RegExp | string) => Promise<void>
  /** Waits for one whole response with a Content-Length, and removes it from the received bytes. */
  readonly response: (isHead?: boolean) => Promise<Response>
  readonly isClosed: () => boolean
}

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Parses the head of a received response. `end` is the offset of its body. */
const parseHead = (bytes: Buffer) => {
  const end = bytes.indexOf("\r\n\r\n")
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n")
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()])
  )
  return { end: end + 4, status: Number(first.split(" ")[1]), headers }
}

export const connect = Effect.fnUntraced(function* (port: number): Effect.fn.Return<Client, never, Scope.Scope> {
  const socket = connectSocket({ port, host: "127.0.0.1", noDelay: true })
  let chunks: Array<Buffer> = []
  let length = 0
  let isClosed = false
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
  })
  socket.on("error", () => undefined)
  socket.on("close", () => {
    isClosed = true
  })
  yield* Effect.promise(() => once(socket, "connect"))
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
  const received = (): Buffer => {
    if (chunks.length > 1) chunks = [Buffer.concat(chunks)]
    return chunks[0] ?? Buffer.alloc(0)
  }
  const text = (): string => received().toString("latin1")
  return {
    socket,
    send: (...bytes) => {
      for (const part of bytes) if (!socket.destroyed) socket.write(part)
    },
    received,
    length: () => length,
    text,
    saw: (pattern) => until(() => text().match(pattern) !== null),
    response: async (isHead = false) => {
      await until(() => text().includes("\r\n\r\n"))
      const { end, headers, status } = parseHead(received())
      const whole = end + (isHead || status === 304 ? 0 : Number(headers["content-length"] ?? 0))
      await until(() => length >= whole)
      const all = received()
      chunks = [all.subarray(whole)]
      length -= whole
      return { status, headers, body: all.subarray(end, whole) }
    },
    isClosed: () => isClosed
  }
})
