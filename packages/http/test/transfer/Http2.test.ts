import { assert, describe, it } from "@effect/vitest"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { once } from "node:events"
import { type ClientHttp2Session, connect, constants, createServer, type IncomingHttpHeaders } from "node:http2"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import * as RequestBody from "../../src/transfer/upload/RequestBody.ts"
import * as SendContent from "../../src/transfer/response/SendContent.ts"
import { until } from "./support/NodeApp.ts"
import { openCount, pattern, tempFile } from "./support/TempFiles.ts"

const open = Effect.fnUntraced(function* (
  handler: (
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, Scope.Scope>
): Effect.fn.Return<ClientHttp2Session, never, Scope.Scope> {
  const app = Effect.orDie(Effect.flatMap(HttpServerRequest.HttpServerRequest, handler))
  const scope = yield* Effect.scope
  const server = createServer(yield* NodeHttpServer.makeHandler(app, { scope }))
  server.listen(0, "127.0.0.1")
  yield* Effect.promise(() => once(server, "listening"))
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      session.destroy()
      await new Promise((resolve) => server.close(resolve))
    })
  )
  return session
})

const ask = async (session: ClientHttp2Session, headers: Record<string, string>, body?: Uint8Array) => {
  const stream = session.request(headers)
  stream.end(body)
  const [head] = (await once(stream, "response")) as [IncomingHttpHeaders & { readonly ":status"?: number }]
  return { status: head[":status"], headers: head, body: await buffer(stream) }
}

const contentOf = (bytes: Uint8Array, localFile: string): SendContent.Content => ({
  size: bytes.length,
  etag: '"tag"',
  lastModified: 0,
  contentType: "text/plain",
  headers: [],
  name: "a.txt",
  disposition: "inline",
  localFile,
  read: () => Stream.die("The file must not be streamed."),
  check: Effect.void,
  reportDamage: Effect.void
})

describe("HTTP/2", () => {
  it.live.each([1000, 3_000_000])("GET: local file of %d bytes → all of it, and a range of it", (size) =>
    Effect.gen(function* () {
      const bytes = pattern(size)
      const path = yield* tempFile(bytes)
      const session = yield* open((request) => SendContent.send(request, contentOf(bytes, path)))
      const whole = yield* Effect.promise(() => ask(session, { ":path": "/" }))
      assert.strictEqual(whole.status, 200)
      assert.isTrue(whole.body.equals(bytes))
      const part = yield* Effect.promise(() => ask(session, { ":path": "/", range: `bytes=10-${size - 10}` }))
      assert.strictEqual(part.status, 206)
      assert.isTrue(part.body.equals(bytes.subarray(10, size - 9)))
      yield* Effect.promise(() => until(() => openCount(path) === 0))
    })
  )

  it.live("GET: client resets the stream → the file is closed", () =>
    Effect.gen(function* () {
      const bytes = pattern(20_000_000)
      const path = yield* tempFile(bytes)
      const session = yield* open((request) => SendContent.send(request, contentOf(bytes, path)))
      const stream = session.request({ ":path": "/" })
      stream.on("error", () => undefined)
      yield* Effect.promise(() => once(stream, "data"))
      assert.strictEqual(openCount(path), 1)
      stream.close(constants.NGHTTP2_CANCEL)
      yield* Effect.promise(() => until(() => openCount(path) === 0))
    })
  )

  it.live("POST: 3 MB body → read whole", () =>
    Effect.gen(function* () {
      const bytes = pattern(3_000_000)
      const session = yield* open((request) =>
        RequestBody.open(request, { limit: 1e9, idleTimeout: "10 seconds" }).pipe(
          Effect.flatMap(Stream.runCollect),
          Effect.map((chunks) => HttpServerResponse.uint8Array(Buffer.concat(chunks)))
        )
      )
      const answer = yield* Effect.promise(() => ask(session, { ":path": "/", ":method": "POST" }, bytes))
      assert.isTrue(answer.body.equals(bytes))
    })
  )
})
