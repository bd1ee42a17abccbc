import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import * as Https from "node:https"
import * as Net from "node:net"
import * as GuardedAgents from "../src/GuardedAgents.ts"
import * as PostRequest from "../src/PostRequest.ts"
import { RequestTimedOut } from "../src/RequestTimedOut.ts"
import { UnexpectedResponse } from "../src/UnexpectedResponse.ts"

/** Starts a server until the scope closes. Returns its URL, and the requests and connections that it got. */
const serve = (listener: Http.RequestListener) =>
  Effect.gen(function* () {
    const requests: Array<{
      readonly path: string
      readonly body: string
      readonly headers: Http.IncomingHttpHeaders
    }> = []
    let connections = 0
    const server = yield* Effect.acquireRelease(
      Effect.callback<Http.Server>((resume) => {
        const server = Http.createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            requests.push({
              path: request.url ?? "",
              body: Buffer.concat(chunks).toString(),
              headers: request.headers
            })
            listener(request, response)
          })
        })
        server.on("connection", () => connections++)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    return { url: `http://127.0.0.1:${portOf(server)}`, requests, connections: () => connections }
  })

const portOf = (server: Net.Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Starts a TCP server that writes a text to each connection, and returns its URL. */
const serveText = (text: string) =>
  Effect.acquireRelease(
    Effect.callback<Net.Server>((resume) => {
      const server = Net.createServer((socket) => {
        socket.on("error", () => {})
        socket.end(text)
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void server.close())
  ).pipe(Effect.map((server) => `http://127.0.0.1:${portOf(server)}`))

const post = (agents: GuardedAgents.Agents, url: string, timeout = 10_000) =>
  PostRequest.send(agents, { url, headers: { "content-type": "text/plain" }, body: "Zoë", timeout })

const open = GuardedAgents.scoped({ allowPrivate: true })

describe("PostRequest", () => {
  it.live("two requests → body and headers arrive, one connection", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => void response.writeHead(202, { "x-test": "1" }).end("accepted"))
      const agents = yield* open
      for (let count = 0; count < 2; count++) {
        const { headers, status } = yield* post(agents, `${server.url}/hook`)
        assert.strictEqual(status, 202)
        assert.strictEqual(headers["x-test"], "1")
      }
      assert.strictEqual(server.connections(), 1)
      assert.deepInclude(server.requests[0], { path: "/hook", body: "Zoë" })
      assert.deepInclude(server.requests[0]?.headers, { "content-type": "text/plain", "content-length": "4" })
    })
  )

  it.live("redirect → its status, and no second request", () =>
    Effect.gen(function* () {
      const other = yield* serve((_, response) => void response.end())
      const server = yield* serve((_, response) => void response.writeHead(307, { location: other.url }).end())
      assert.strictEqual((yield* post(yield* open, server.url)).status, 307)
      assert.strictEqual(other.requests.length, 0)
    })
  )

  it.live("endless response → the status, and the connection is closed", () =>
    Effect.gen(function* () {
      let isClosed = false
      const server = yield* serve((_, response) => {
        const chunk = Buffer.alloc(16_384)
        const write = () => {
          while (!response.destroyed && response.write(chunk));
        }
        response.on("drain", write)
        response.on("close", () => (isClosed = true))
        response.writeHead(200)
        write()
      })
      assert.strictEqual((yield* post(yield* open, server.url)).status, 200)
      yield* Effect.sleep("5 millis").pipe(Effect.repeat({ until: () => isClosed }))
    })
  )

  it.live("response whose body never ends → the status", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => void response.writeHead(200).write("x"))
      assert.strictEqual((yield* post(yield* open, server.url)).status, 200)
    })
  )

  it.live("no response in time → RequestTimedOut", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => {})
      const { cause } = yield* Effect.flip(post(yield* open, server.url, 50))
      assert.instanceOf(cause, RequestTimedOut)
    })
  )

  it.live.each(["SSH-2.0-OpenSSH\r\n", `HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}\r\n\r\n`, ""])(
    "response that is not HTTP, %#",
    (text) =>
      Effect.gen(function* () {
        const { cause } = yield* Effect.flip(post(yield* open, yield* serveText(text)))
        assert.instanceOf(cause, Error)
      })
  )

  it.live.each([
    ["guarded agents", open],
    ["agents of Node", Effect.sync(() => ({ http: new Http.Agent(), https: new Https.Agent() }))]
  ] as const)("change of the protocol, %s → UnexpectedResponse", ([, agents]) =>
    Effect.gen(function* () {
      const url = yield* serveText("HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n")
      const { cause } = yield* Effect.flip(post(yield* agents, url))
      assert.instanceOf(cause, UnexpectedResponse)
    })
  )

  it.live("connection that the server closes while it is idle → the request arrives once", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => void response.end())
      const agents = yield* open
      yield* post(agents, server.url)
      // As if the server had closed the connection just when it is used again.
      for (const sockets of Object.values(agents.http.freeSockets)) {
        for (const socket of sockets ?? []) {
          const write = socket.write.bind(socket)
          socket.write = (...terms: ReadonlyArray<unknown>) => {
            socket.write = write
            socket.destroy(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }))
            return terms.length > 0
          }
        }
      }
      assert.strictEqual((yield* post(agents, server.url)).status, 200)
      assert.strictEqual(server.requests.length, 2)
    })
  )

  it.live("private address → refused", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => void response.end())
      const agents = yield* GuardedAgents.scoped({ allowPrivate: false, refusalTime: 50 })
      const { cause } = yield* Effect.flip(post(agents, server.url))
      assert.isTrue(GuardedAgents.isRefused(cause))
      assert.strictEqual(server.connections(), 0)
    })
  )
})
