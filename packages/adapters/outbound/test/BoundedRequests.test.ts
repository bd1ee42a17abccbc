import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Http from "node:http"
import * as Net from "node:net"
import * as GuardedAgents from "../src/GuardedAgents.ts"
import { RequestTimedOut } from "../src/RequestTimedOut.ts"
import { ResponseTooLong } from "../src/ResponseTooLong.ts"
import { UnexpectedResponse } from "../src/UnexpectedResponse.ts"

/** Longer than the timeout of the tests' requests, in milliseconds. */
const delay = 400

const rules = {
  requestTimeout: 100,
  isContent: ({ path }: { readonly path: string }) => path === "/content",
  isSlow: ({ path }: { readonly path: string }) => path === "/slow"
}

/** Listens with a server until the scope closes. Returns its port. */
const listen = (server: Net.Server) =>
  Effect.gen(function* () {
    const sockets = new Set<Net.Socket>()
    server.on("connection", (socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
      // A client that gives up resets the connection.
      socket.on("error", () => {})
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        })
    )
    return (server.address() as Net.AddressInfo).port
  })

/** Starts a server that responds late, or at `/content` begins at once and ends late. Returns its port. */
const serve = (body: Buffer, status = 200, millis = delay) =>
  listen(
    Http.createServer((request, response) => {
      response.writeHead(status, { "content-length": body.byteLength })
      if (request.url === "/content") response.flushHeaders()
      request.resume()
      if (request.url === "/at-once") response.end(body)
      else setTimeout(() => response.end(body), millis)
    })
  )

/** Starts a server that answers each connection with a text, and keeps it open. Returns its port. */
const serveText = (text: string) => listen(Net.createServer((socket) => socket.once("data", () => socket.write(text))))

/** Makes a request by agents with the rules. Returns the number of bytes of the response. */
const send = Effect.fnUntraced(function* (
  port: number,
  path: string,
  body?: Buffer,
  requestTimeout = rules.requestTimeout
) {
  const { http } = yield* GuardedAgents.scoped({ allowPrivate: true }, {}, { ...rules, requestTimeout })
  return yield* Effect.callback<number, Error>((resume) => {
    const headers = { "content-length": body?.byteLength ?? 0 }
    const request = Http.request(
      { port, host: "127.0.0.1", path, method: "POST", headers, agent: http },
      (response) => {
        let count = 0
        response.on("data", (chunk: Buffer) => (count += chunk.byteLength))
        response.on("error", (error) => resume(Effect.fail(error)))
        response.on("end", () => resume(Effect.succeed(count)))
      }
    )
    request.on("error", (error) => resume(Effect.fail(error)))
    request.end(body)
  })
})

describe("requests of an agent", () => {
  it.live("response later than the request timeout → RequestTimedOut", () =>
    Effect.gen(function* () {
      const port = yield* serve(Buffer.from("a"))
      assert.instanceOf(yield* Effect.flip(send(port, "/")), RequestTimedOut)
    })
  )

  it.live.each([
    ["a body, which may take longer", "/", 256 * 1024],
    ["a content in response, whose reader may take longer", "/content", 0],
    ["an operation on a large object", "/slow", 0]
  ] as const)("response later than the request timeout, for %s → received", ([, path, size]) =>
    Effect.gen(function* () {
      const port = yield* serve(Buffer.from("a"))
      assert.strictEqual(yield* send(port, path, Buffer.alloc(size)), 1)
    })
  )

  it.live.each([
    [200, "/?max-keys=100", 100 * 1024],
    [200, "/?comp=list&maxresults=1000", 4000 * 1024],
    [200, "/", 60 * 1024],
    [400, "/", 60 * 1024]
  ] as const)("response %i to %s of %i bytes → received; of 400 KiB more → ResponseTooLong", ([status, path, size]) =>
    Effect.gen(function* () {
      const port = yield* serve(Buffer.alloc(size), status, 0)
      assert.strictEqual(yield* send(port, path, undefined, 60_000), size)
      const tooLong = yield* serve(Buffer.alloc(size + 400 * 1024), status, 0)
      assert.instanceOf(yield* Effect.flip(send(tooLong, path, undefined, 60_000)), ResponseTooLong)
    })
  )

  it.live("response with more tags than a document has → ResponseTooLong", () =>
    Effect.gen(function* () {
      const port = yield* serve(Buffer.alloc(60 * 1024, "<a/>"), 200, 0)
      assert.instanceOf(yield* Effect.flip(send(port, "/", undefined, 60_000)), ResponseTooLong)
    })
  )

  it.live("content of more bytes than a document may have → received", () =>
    Effect.gen(function* () {
      const size = 9 * 1024 * 1024
      const port = yield* serve(Buffer.alloc(size))
      assert.strictEqual(yield* send(port, "/content"), size)
    })
  )

  it.live("change of the protocol → UnexpectedResponse", () =>
    Effect.gen(function* () {
      const port = yield* serveText("HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n")
      assert.instanceOf(yield* Effect.flip(send(port, "/", undefined, 60_000)), UnexpectedResponse)
    })
  )

  it.live.each([
    [8, "received"],
    [9, "UnexpectedResponse"]
  ] as const)("%i interim responses → %s", ([count, expected]) =>
    Effect.gen(function* () {
      const text = "HTTP/1.1 102 Processing\r\n\r\n".repeat(count)
      const port = yield* serveText(`${text}HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na`)
      const result = yield* Effect.match(send(port, "/", undefined, 60_000), {
        onFailure: (error) => error.name,
        onSuccess: () => "received"
      })
      assert.strictEqual(result, expected)
    })
  )
})
