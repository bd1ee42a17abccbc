import { assert, describe, it } from "@effect/vitest"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type { IncomingMessage, RequestListener, Server } from "node:http"
import * as TransferableChunks from "@holdfast/core/storage/TransferableChunks"
import * as BodySource from "../../src/transfer/upload/BodySource.ts"
import * as RequestBody from "../../src/transfer/upload/RequestBody.ts"
import { connect, listen, until } from "./support/NodeApp.ts"
import { pattern } from "./support/TempFiles.ts"

const MiB = 1024 * 1024
const options: RequestBody.Options = { limit: 64 * MiB, idleTimeout: "10 seconds" }

const post = (...headers: ReadonlyArray<string>): string =>
  ["POST / HTTP/1.1", "Host: a", ...headers, "", ""].join("\r\n")

const chunked = (...parts: ReadonlyArray<string>): string =>
  [...parts, ""].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")

const collect = (request: HttpServerRequest.HttpServerRequest, overrides: Partial<RequestBody.Options> = {}) =>
  RequestBody.open(request, { ...options, ...overrides }).pipe(
    Effect.flatMap(Stream.runCollect),
    Effect.map((chunks) => Buffer.concat(chunks))
  )

/** An app that responds with the body that it received. */
const echo = (overrides: Partial<RequestBody.Options> = {}) =>
  listen((request) => Effect.map(collect(request, overrides), (bytes) => HttpServerResponse.uint8Array(bytes)))

describe("RequestBody.open over Node", () => {
  it.live("every framing, several requests on one connection → the bodies' bytes", () =>
    Effect.gen(function* () {
      const app = yield* echo()
      const client = yield* connect(app.port)
      const large = pattern(3 * MiB + 3)
      const requests: ReadonlyArray<readonly [ReadonlyArray<string | Uint8Array>, string | Buffer]> = [
        [[post("Content-Length: 5"), "hello"], "hello"],
        [[post("Content-Length: 5"), "h", "el", "lo"], "hello"],
        [[post("Content-Length: 0")], ""],
        [[post()], ""],
        [[post("Transfer-Encoding: chunked"), chunked("hel", "lo")], "hello"],
        [[post("Transfer-Encoding: chunked"), chunked()], ""],
        [[post(`Content-Length: ${large.length}`), large], large]
      ]
      for (const [bytes, expected] of requests) {
        client.send(...bytes)
        const { body, status } = yield* Effect.promise(() => client.response())
        assert.strictEqual(status, 200)
        assert.isTrue(body.equals(Buffer.from(expected)))
      }
      // Pipelined.
      client.send(post("Content-Length: 1"), "a", post("Content-Length: 1"), "b")
      assert.strictEqual((yield* Effect.promise(() => client.response())).body.toString(), "a")
      assert.strictEqual((yield* Effect.promise(() => client.response())).body.toString(), "b")
    })
  )

  it.live("consumer waits → at most 1 MiB is read ahead", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const messages: Array<IncomingMessage> = []
      const app = yield* listen((request) =>
        Effect.gen(function* () {
          const message = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
          const body = yield* RequestBody.open(request, options)
          let size = 0
          yield* Stream.runForEachArray(body, (chunks) => {
            messages.push(message)
            for (const chunk of chunks) size += chunk.length
            return Deferred.await(gate)
          })
          return HttpServerResponse.text(`${size}`)
        })
      )
      const client = yield* connect(app.port)
      client.send(post(`Content-Length: ${16 * MiB}`), Buffer.alloc(16 * MiB))
      yield* Effect.promise(() => until(() => messages[0]?.isPaused() === true))
      // 1 MiB buffered, and what was on its way when the message was paused.
      assert.isBelow(messages[0]!.socket.bytesRead, 3 * MiB)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Effect.promise(() => client.response())).body.toString(), `${16 * MiB}`)
    })
  )

  it.live.each([true, false])("IsSoleListener = %s → chunks are transferable only if true", (isSoleListener) =>
    Effect.gen(function* () {
      const lengths: Array<number> = []
      const app = yield* listen((request) =>
        Effect.gen(function* () {
          const body = yield* RequestBody.open(request, options)
          const copies: Array<Uint8Array> = []
          yield* Stream.runForEachArray(body, (chunks) =>
            Effect.sync(() => {
              for (const chunk of chunks) copies.push(Buffer.from(chunk))
              TransferableChunks.detach(chunks)
              for (const chunk of chunks) lengths.push(chunk.length)
            })
          )
          return HttpServerResponse.uint8Array(Buffer.concat(copies))
        }).pipe(Effect.provideService(BodySource.IsSoleListener, isSoleListener))
      )
      const client = yield* connect(app.port)
      const large = pattern(3 * MiB + 3)
      client.send(post(`Content-Length: ${large.length}`), large)
      assert.isTrue((yield* Effect.promise(() => client.response())).body.equals(large))
      assert.strictEqual(lengths.includes(0), isSoleListener)
    })
  )

  describe("Expect: 100-continue", () => {
    const expecting = post("Content-Length: 5", "Expect: 100-continue")

    const withListener = (server: Server, listener: RequestListener): void => {
      server.on("request", listener)
      server.on("checkContinue", listener)
    }

    it.live("first byte pulled → 100 Continue, not before", () =>
      Effect.gen(function* () {
        const arrived = yield* Deferred.make<void>()
        const gate = yield* Deferred.make<void>()
        const app = yield* listen(
          (request) =>
            Effect.gen(function* () {
              const body = yield* RequestBody.open(request, options)
              yield* Deferred.succeed(arrived, undefined)
              yield* Deferred.await(gate)
              return HttpServerResponse.uint8Array(Buffer.concat(yield* Stream.runCollect(body)))
            }),
          withListener
        )
        const client = yield* connect(app.port)
        client.send(expecting)
        yield* Deferred.await(arrived)
        assert.strictEqual(client.text(), "")
        yield* Deferred.succeed(gate, undefined)
        yield* Effect.promise(() => client.saw("HTTP/1.1 100 Continue\r\n\r\n"))
        client.send("hello")
        yield* Effect.promise(() => client.saw(/HTTP\/1.1 200 [^]*hello$/))
        assert.lengthOf(client.text().match(/100 Continue/g) ?? [], 1)
      })
    )

    it.live("100 Continue already sent by Node → not sent again", () =>
      Effect.gen(function* () {
        const app = yield* echo()
        const client = yield* connect(app.port)
        client.send(expecting)
        yield* Effect.promise(() => client.saw("100 Continue"))
        client.send("hello")
        yield* Effect.promise(() => client.saw(/HTTP\/1.1 200 [^]*hello$/))
        assert.lengthOf(client.text().match(/100 Continue/g) ?? [], 1)
      })
    )

    it.live("declared length above the limit → 413, no 100 Continue", () =>
      Effect.gen(function* () {
        const app = yield* listen(
          (request) => Effect.as(collect(request, { limit: 4 }), HttpServerResponse.empty()),
          withListener
        )
        const client = yield* connect(app.port)
        client.send(expecting)
        assert.strictEqual((yield* Effect.promise(() => client.response())).status, 413)
        assert.notInclude(client.text(), "100 Continue")
      })
    )
  })

  it.live.each([
    ["declared", (size: number) => [post(`Content-Length: ${size}`)]],
    ["chunked", (size: number) => [post("Transfer-Encoding: chunked"), `${size.toString(16)}\r\n`]]
  ] as const)("body above the limit (%s), client keeps sending → it receives the 413", ([, head]) =>
    Effect.gen(function* () {
      const app = yield* echo({ limit: MiB })
      const client = yield* connect(app.port)
      client.send(...head(64 * MiB))
      for (let sent = 0; sent < 32; sent++) client.send(Buffer.alloc(MiB))
      const { body, status } = yield* Effect.promise(() => client.response())
      assert.strictEqual(status, 413)
      assert.strictEqual(body.toString(), "ContentTooLarge")
      yield* Effect.promise(() => until(client.isClosed))
    })
  )

  it.live("little of the body left after a failure → the connection is kept", () =>
    Effect.gen(function* () {
      const app = yield* echo({ limit: 4 })
      const client = yield* connect(app.port)
      client.send(post("Transfer-Encoding: chunked"), chunked("hello", "more"))
      assert.strictEqual((yield* Effect.promise(() => client.response())).status, 413)
      client.send(post("Content-Length: 4"), "next")
      assert.strictEqual((yield* Effect.promise(() => client.response())).body.toString(), "next")
    })
  )

  it.live("body of exactly the limit → accepted", () =>
    Effect.gen(function* () {
      const app = yield* echo({ limit: 5 })
      const client = yield* connect(app.port)
      client.send(post("Transfer-Encoding: chunked"), chunked("hello"))
      assert.strictEqual((yield* Effect.promise(() => client.response())).body.toString(), "hello")
      client.send(post("Content-Length: 5"), "hello")
      assert.strictEqual((yield* Effect.promise(() => client.response())).body.toString(), "hello")
    })
  )

  it.live.each([
    [post("Content-Length: 1000000"), "part"],
    [post("Transfer-Encoding: chunked"), "4\r\npart\r\n"]
  ])("client disconnects: %j → BodyAborted, no listeners left", (sent) =>
    Effect.gen(function* () {
      const outcome = yield* Deferred.make<Exit.Exit<Buffer, RequestBody.BodyError>>()
      const started = yield* Deferred.make<IncomingMessage>()
      const app = yield* listen((request) =>
        Effect.gen(function* () {
          // In a fiber of its own: the request's fiber is interrupted at the same time.
          yield* collect(request).pipe(
            Effect.exit,
            Effect.flatMap((exit) => Deferred.succeed(outcome, exit)),
            Effect.forkDetach
          )
          yield* Deferred.succeed(started, NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage)
          return yield* Effect.never
        })
      )
      const client = yield* connect(app.port)
      client.send(...sent)
      const message = yield* Deferred.await(started)
      client.socket.destroy()
      const exit = yield* Deferred.await(outcome)
      assert.isTrue(Exit.isFailure(exit))
      assert.include(JSON.stringify(exit), "BodyAborted")
      assert.strictEqual(message.listenerCount("data"), 0)
    })
  )

  it.live("client stops sending → it receives BodyStalled", () =>
    Effect.gen(function* () {
      const app = yield* echo({ idleTimeout: "30 millis" })
      const client = yield* connect(app.port)
      client.send(post("Content-Length: 10"), "part")
      const { body, status } = yield* Effect.promise(() => client.response())
      assert.strictEqual(status, 400)
      assert.strictEqual(body.toString(), "BodyStalled")
    })
  )

  it.live("body read → no listeners left on the message", () =>
    Effect.gen(function* () {
      const messages: Array<IncomingMessage> = []
      const app = yield* listen((request) => {
        messages.push(NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage)
        return Effect.as(collect(request), HttpServerResponse.text("ok"))
      })
      const client = yield* connect(app.port)
      client.send(post("Content-Length: 5"), "hello")
      yield* Effect.promise(() => client.response())
      const [message] = messages
      for (const event of ["data", "end", "error", "close"]) assert.strictEqual(message!.listenerCount(event), 0, event)
    })
  )
})

describe("RequestBody.open over web requests", () => {
  const web = (
    body: string | ReadableStream<Uint8Array> | null,
    headers: Record<string, string> = {}
  ): HttpServerRequest.HttpServerRequest =>
    HttpServerRequest.fromWeb(
      new Request("http://a/", { method: "POST", body, headers, duplex: "half" } as RequestInit)
    )

  /** A body that is produced chunk by chunk as it is pulled. */
  const lazyBody = (chunks: ReadonlyArray<Uint8Array>, then: "close" | "error" = "close") => {
    let next = 0
    let isCancelled = false
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const chunk = chunks[next++]
          if (chunk !== undefined) controller.enqueue(chunk)
          else if (then === "close") controller.close()
          else controller.error(new Error("broken"))
        },
        cancel: () => {
          isCancelled = true
        }
      },
      { highWaterMark: 0 }
    )
    return { stream, pulled: () => next, isCancelled: () => isCancelled }
  }

  it.live.each([[null], [""], ["hello"]])("body %j → read", ([body = null]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* collect(web(body))).toString(), body ?? "")
    })
  )

  it.live("body of 3 MiB → read", () =>
    Effect.gen(function* () {
      const bytes = pattern(3 * MiB)
      const body = lazyBody(Array.from({ length: 48 }, (_, i) => bytes.subarray(i * 65_536, (i + 1) * 65_536)))
      assert.isTrue((yield* collect(web(body.stream))).equals(bytes))
    })
  )

  it.live.each([
    [{ "content-length": "4" }, "LengthMismatch"],
    [{ "content-length": "6" }, "LengthMismatch"],
    [{ "content-length": "101" }, "ContentTooLarge"]
  ] as const)("body of 5 bytes, %j → %s", ([headers, tag]) =>
    Effect.gen(function* () {
      const body = lazyBody([Buffer.from("hello")])
      const error = yield* Effect.flip(collect(web(body.stream, headers), { limit: 100 }))
      assert.strictEqual(error._tag, tag)
      if (tag === "ContentTooLarge") assert.strictEqual(body.pulled(), 0)
    })
  )

  it.live("body above the limit → cancelled, no more is pulled", () =>
    Effect.gen(function* () {
      const body = lazyBody(Array.from({ length: 1000 }, () => Buffer.alloc(65_536)))
      const error = yield* Effect.flip(collect(web(body.stream), { limit: MiB }))
      assert.strictEqual(error._tag, "ContentTooLarge")
      yield* Effect.promise(() => until(body.isCancelled))
      assert.isBelow(body.pulled(), 20)
    })
  )

  it.live("body fails → BodyAborted", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(collect(web(lazyBody([Buffer.from("hello")], "error").stream)))
      assert.strictEqual(error._tag, "BodyAborted")
    })
  )

  it.live("no bytes arrive → BodyStalled", () =>
    Effect.gen(function* () {
      const silent = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from("a")) })
      const error = yield* Effect.flip(collect(web(silent), { idleTimeout: "20 millis" }))
      assert.strictEqual(error._tag, "BodyStalled")
      assert.include(error.message, "0.02 seconds")
    })
  )

  it.live("stream closed before its end → the body is cancelled", () =>
    Effect.gen(function* () {
      const body = lazyBody(Array.from({ length: 1000 }, () => Buffer.alloc(65_536)))
      const stream = yield* RequestBody.open(web(body.stream), options)
      yield* Stream.runCollect(Stream.take(stream, 1))
      yield* Effect.promise(() => until(body.isCancelled))
    })
  )
})
