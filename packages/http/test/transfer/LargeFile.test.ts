import { assert, describe, it } from "@effect/vitest"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Fs from "node:fs"
import type { ServerResponse } from "node:http"
import * as Aborts from "../../src/incoming/Aborts.ts"
import * as LocalFile from "../../src/transfer/local/LocalFile.ts"
import type { BodySlice } from "../../src/transfer/BodySlice.ts"
import * as LargeFile from "../../src/transfer/local/LargeFile.ts"
import { connect, listen, until } from "./support/NodeApp.ts"
import { openCount, pattern, tempFile } from "./support/TempFiles.ts"

const MiB = 1024 * 1024
const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

const responseOf = (request: HttpServerRequest.HttpServerRequest): ServerResponse =>
  NodeHttpServerRequest.toServerResponse(request) as ServerResponse

const sendFile = (response: ServerResponse, path: string, slices: ReadonlyArray<BodySlice>) =>
  LocalFile.withFile(path, (fd) => {
    response.writeHead(200, { "content-length": slices.reduce((sum, slice) => sum + slice.length, 0) })
    return LargeFile.send(response, fd, slices)
  })

const done = HttpServerResponse.empty({ status: 200 })

/** An app that sends one file and records the exit of each transfer. */
const fileApp = Effect.fnUntraced(function* (path: string, slices: ReadonlyArray<BodySlice>) {
  const exits: Array<Exit.Exit<void, unknown>> = []
  const responses: Array<ServerResponse> = []
  const app = yield* listen((request) => {
    const response = responseOf(request)
    responses.push(response)
    return sendFile(response, path, slices).pipe(
      Effect.onExit((exit) => Effect.sync(() => exits.push(exit))),
      Effect.as(done)
    )
  })
  return { ...app, exits, responses }
})

describe("LargeFile.send", () => {
  it.effect("file of many buffers → sent whole, three times on one connection", () =>
    Effect.gen(function* () {
      const bytes = pattern(5 * MiB + 7)
      const path = yield* tempFile(bytes)
      const app = yield* fileApp(path, [{ offset: 0, length: bytes.length }])
      const client = yield* connect(app.port)
      for (let round = 0; round < 3; round++) {
        client.send(get)
        const { body } = yield* Effect.promise(() => client.response())
        assert.isTrue(body.equals(bytes))
      }
      yield* Effect.promise(() => until(() => openCount(path) === 0))
      assert.deepStrictEqual(app.exits.map(Exit.isSuccess), [true, true, true])
      assert.strictEqual(client.length(), 0)
    })
  )

  it.effect("pipelined requests → responses in order", () =>
    Effect.gen(function* () {
      const bytes = pattern(2 * MiB)
      const path = yield* tempFile(bytes)
      const app = yield* fileApp(path, [{ offset: 0, length: bytes.length }])
      const client = yield* connect(app.port)
      client.send(get.repeat(4))
      for (let round = 0; round < 4; round++) {
        const { body } = yield* Effect.promise(() => client.response())
        assert.isTrue(body.equals(bytes))
      }
    })
  )

  it.effect("ranges, literal bytes and empty slices → sent in order", () =>
    Effect.gen(function* () {
      const bytes = pattern(MiB)
      const path = yield* tempFile(bytes)
      const app = yield* fileApp(path, [
        Buffer.from("<"),
        { offset: 0, length: 0 },
        { offset: 10, length: 300_000 },
        Buffer.alloc(0),
        Buffer.from("|"),
        Buffer.from("|"),
        { offset: MiB - 5, length: 5 },
        Buffer.from(">")
      ])
      const client = yield* connect(app.port)
      client.send(get)
      const { body } = yield* Effect.promise(() => client.response())
      const expected = [
        Buffer.from("<"),
        bytes.subarray(10, 300_010),
        Buffer.from("||"),
        bytes.subarray(-5),
        Buffer.from(">")
      ]
      assert.isTrue(body.equals(Buffer.concat(expected)))
    })
  )

  it.effect("nothing but an empty slice → an empty response, the file is closed", () =>
    Effect.gen(function* () {
      const path = yield* tempFile(Buffer.alloc(0))
      const app = yield* fileApp(path, [{ offset: 0, length: 0 }])
      const client = yield* connect(app.port)
      client.send(get)
      assert.strictEqual((yield* Effect.promise(() => client.response())).body.length, 0)
      yield* Effect.promise(() => until(() => app.exits.length === 1 && openCount(path) === 0))
      assert.isTrue(Exit.isSuccess(app.exits[0]!))
    })
  )

  it.effect("12 concurrent transfers → each client gets its own bytes", () =>
    Effect.gen(function* () {
      const files = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, i) => i),
        (i) =>
          Effect.gen(function* () {
            const bytes = pattern(MiB + i * 1000, i + 1)
            const path = yield* tempFile(bytes)
            return { bytes, app: yield* fileApp(path, [{ offset: 0, length: bytes.length }]) }
          })
      )
      yield* Effect.forEach(
        files,
        ({ app, bytes }) =>
          Effect.gen(function* () {
            const client = yield* connect(app.port)
            client.send(get)
            client.send(get)
            for (let round = 0; round < 2; round++) {
              assert.isTrue((yield* Effect.promise(() => client.response())).body.equals(bytes))
            }
          }),
        { concurrency: "unbounded" }
      )
    })
  )

  it.effect("slow client → the transfer waits, with two buffers at most", () =>
    Effect.gen(function* () {
      const bytes = pattern(16 * MiB)
      const path = yield* tempFile(bytes)
      const app = yield* fileApp(path, [{ offset: 0, length: bytes.length }])
      const client = yield* connect(app.port)
      client.socket.pause()
      client.send(get)
      let maxQueued = 0
      let before = -1
      yield* Effect.promise(() =>
        until(() => {
          const [response] = app.responses
          const sent = response?.socket?.bytesWritten ?? 0
          maxQueued = Math.max(maxQueued, response?.writableLength ?? 0)
          // bytesWritten counts what was queued: it stops growing when both buffers wait.
          const isWaiting = sent > 0 && sent === before && maxQueued > MiB
          before = sent
          return isWaiting
        })
      )
      assert.isAtMost(maxQueued, 2 * MiB + 1024)
      assert.strictEqual(openCount(path), 1)
      client.socket.resume()
      assert.isTrue((yield* Effect.promise(() => client.response())).body.equals(bytes))
      yield* Effect.promise(() => until(() => openCount(path) === 0))
    })
  )

  it.effect("connection ends while its writes wait → the transfer ends after the aborts that are queued already", () =>
    Effect.gen(function* () {
      const path = yield* tempFile(pattern(16 * MiB))
      const app = yield* fileApp(path, [{ offset: 0, length: 16 * MiB }])
      const client = yield* connect(app.port)
      client.socket.pause()
      client.send(get)
      yield* Effect.promise(() => until(() => (app.responses[0]?.socket?.writableLength ?? 0) > 0))
      let endedBefore: number | undefined
      app.responses[0]?.socket?.destroy()
      Aborts.ofProcess.enqueue(() => (endedBefore = app.exits.length))
      yield* Effect.promise(() => until(() => app.exits.length === 1))
      assert.strictEqual(endedBefore, 0)
      yield* Effect.promise(() => until(() => openCount(path) === 0))
    })
  )

  it.effect("64 clients that read nothing → 8 MiB and 16 KiB for each; another client gets all bytes", () =>
    Effect.gen(function* () {
      const bytes = pattern(16 * MiB)
      const path = yield* tempFile(bytes)
      const app = yield* fileApp(path, [{ offset: 0, length: bytes.length }])
      const idle = yield* Effect.all(Array.from({ length: 64 }, () => connect(app.port)))
      for (const client of idle) {
        client.socket.pause()
        client.send(get)
      }
      let before = -1
      const sent = () => app.responses.reduce((sum, { socket }) => sum + (socket?.bytesWritten ?? 0), 0)
      yield* Effect.promise(() =>
        until(() => {
          const isWaiting = app.responses.length === 64 && sent() === before
          before = sent()
          return isWaiting && app.responses.every(({ writableLength }) => writableLength > 0)
        })
      )
      const queued = app.responses.reduce((sum, { writableLength }) => sum + writableLength, 0)
      assert.isAtMost(queued, 8 * MiB + 64 * 17 * 1024)
      const client = yield* connect(app.port)
      client.send(get)
      assert.isTrue((yield* Effect.promise(() => client.response())).body.equals(bytes))
      for (const { socket } of idle) socket.destroy()
      yield* Effect.promise(() => until(() => openCount(path) === 0))
      // The large buffers of the broken transfers may be used again: a client that reads nothing gets two of them.
      const last = yield* connect(app.port)
      last.socket.pause()
      last.send(get)
      yield* Effect.promise(() => until(() => (app.responses.at(-1)?.writableLength ?? 0) > 256 * 1024))
    })
  )

  it.effect("client disconnects → interrupted, the file is closed", () =>
    Effect.gen(function* () {
      const path = yield* tempFile(pattern(16 * MiB))
      const app = yield* fileApp(path, [{ offset: 0, length: 16 * MiB }])
      for (let round = 0; round < 5; round++) {
        const client = yield* connect(app.port)
        client.send(get)
        yield* Effect.promise(() => until(() => client.length() > MiB))
        client.socket.destroy()
      }
      yield* Effect.promise(() => until(() => app.exits.length === 5 && openCount(path) === 0))
      assert.isTrue(app.exits.every((exit) => Exit.hasInterrupts(exit)))
    })
  )

  it.effect("fiber interrupted → the response is broken", () =>
    Effect.gen(function* () {
      const path = yield* tempFile(pattern(16 * MiB))
      const fibers = yield* Deferred.make<Fiber.Fiber<void, unknown>>()
      const app = yield* listen((request) =>
        Effect.gen(function* () {
          const send = sendFile(responseOf(request), path, [{ offset: 0, length: 16 * MiB }])
          const fiber = yield* Effect.forkChild(send)
          yield* Deferred.succeed(fibers, fiber)
          yield* Fiber.await(fiber)
          return done
        })
      )
      const client = yield* connect(app.port)
      client.send(get)
      yield* Effect.promise(() => until(() => client.length() > MiB))
      yield* Fiber.interrupt(yield* Deferred.await(fibers))
      yield* Effect.promise(() => until(() => client.isClosed() && openCount(path) === 0))
      assert.isBelow(client.length(), 16 * MiB)
    })
  )

  it.effect("file shrinks while it is sent → fails, and the response is broken instead of looking complete", () =>
    Effect.gen(function* () {
      const path = yield* tempFile(pattern(16 * MiB))
      const app = yield* fileApp(path, [{ offset: 0, length: 16 * MiB }])
      const client = yield* connect(app.port)
      // Paused at once, so that most of the file has not been sent when it is truncated.
      client.socket.once("data", () => client.socket.pause())
      client.send(get)
      yield* Effect.promise(() => until(() => client.length() > 0))
      Fs.truncateSync(path, 0)
      client.socket.resume()
      yield* Effect.promise(() => until(() => client.isClosed() && app.exits.length === 1 && openCount(path) === 0))
      assert.isBelow(client.length(), 16 * MiB)
      assert.include(JSON.stringify(app.exits[0]), "ContentDamaged")
      assert.strictEqual(openCount(path), 0)
    })
  )

  it.effect("client disconnected before the transfer → interrupted, the file is closed", () =>
    Effect.gen(function* () {
      const path = yield* tempFile(pattern(MiB))
      const gate = yield* Deferred.make<void>()
      const exits: Array<Exit.Exit<void, unknown>> = []
      const app = yield* listen((request) =>
        Deferred.await(gate).pipe(
          Effect.andThen(sendFile(responseOf(request), path, [{ offset: 0, length: MiB }])),
          Effect.onExit((exit) => Effect.sync(() => exits.push(exit))),
          Effect.as(done),
          Effect.uninterruptible
        )
      )
      const client = yield* connect(app.port)
      client.send(get)
      yield* Effect.promise(() => until(() => app.connections() === 1))
      client.socket.destroy()
      yield* Effect.promise(() => until(() => app.connections() === 0))
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.promise(() => until(() => exits.length === 1 && openCount(path) === 0))
      assert.isTrue(Exit.hasInterrupts(exits[0]!))
    })
  )
})
