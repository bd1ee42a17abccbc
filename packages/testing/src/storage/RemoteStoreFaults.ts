/**
 * The suite of BlobStores at a service that sends wrong, cut or no responses. It runs on a `ScriptedServer`. An
 * adapter's test supplies the responses of its protocol:
 *
 *     RemoteStoreFaults.suite("my store", protocol)
 */
import { assert, describe, it } from "@effect/vitest"
import type { BlobError } from "@holdfast/core/storage/BlobError"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ServerResponse } from "node:http"
import * as BlobKeys from "../data/BlobKeys.ts"
import * as Generate from "../data/Generate.ts"
import * as EndlessBody from "../servers/EndlessBody.ts"
import type { ReceivedRequest, Respond } from "../servers/ScriptedServer.ts"
import type { Store } from "./remote/RemoteStoreSubject.ts"

export interface OpenOptions {
  /** Default: 1. */
  readonly maxAttempts?: number
  readonly idleTimeout?: Duration.Input
}

/** A store's protocol, as a scripted server speaks it. */
export interface Protocol {
  /** Opens a store at a server with these responses. */
  readonly open: (
    respond: Respond,
    options?: OpenOptions
  ) => Effect.Effect<
    { readonly store: Store; readonly requests: ReadonlyArray<ReceivedRequest> },
    BlobError,
    Scope.Scope
  >
  /** Responds with an error. */
  readonly sendError: (status: number, code: string, message?: string) => Respond
  /** Errors of the service, and the reasons that they are reported with. */
  readonly errors: ReadonlyArray<readonly [status: number, code: string, message: string, reason: BlobError["reason"]]>
  /** The code of an error that asks for a retry with status 503. */
  readonly busyCode: string
  /** Whether the answer to `stat` has an error code. A HEAD has none in some protocols. */
  readonly hasStatErrors: boolean
  /** Responds that an object of so many bytes was stored. */
  readonly sendStored: (response: ServerResponse, size: number) => void
  /** Responds to `stat`. */
  readonly sendStat: (response: ServerResponse, size: number) => void
  /** Sends the head of a response to `read`. */
  readonly beginBody: (response: ServerResponse, size: number, status?: 200 | 206) => ServerResponse
  /** Whether a request belongs to `read`, as opposed to `stat`. */
  readonly isRead: (request: ReceivedRequest) => boolean
  /** The status of a response to a range that the service answers with other bytes. */
  readonly rangeStatus: 200 | 206
  /** The name of the header with the requested range. */
  readonly rangeHeader: string
  /** The method of a request that puts a small object. */
  readonly putMethod: "PUT" | "POST"
  /** The status of the answer to a request that removes an object. */
  readonly removedStatus: number
  /** Checks the request that removes an object again. */
  readonly assertUndo?: (request: ReceivedRequest | undefined) => void
  /** The status of a redirect that the client must not follow. Absent when it may follow redirects. */
  readonly redirectStatus?: number
}

const key = BlobKeys.key(0)

/** Registers the tests. */
export const suite = (name: string, protocol: Protocol): void => {
  const { beginBody, isRead, open, putMethod, redirectStatus, sendError, sendStat, sendStored } = protocol

  describe(`${name}: service sends errors`, () => {
    it.live.each(protocol.errors)("%i %s %s → %s", ([status, code, message, reason]) =>
      Effect.gen(function* () {
        const { store } = yield* open(sendError(status, code, message))
        const failures = yield* Effect.all([
          Effect.flip(store.put(key, Generate.stream(1, 10))),
          Effect.flip(Stream.runDrain(store.read(key))),
          ...(protocol.hasStatErrors ? [Effect.flip(store.stat(key))] : []),
          Effect.flip(Stream.runDrain(store.list("")))
        ])
        for (const error of failures) assert.strictEqual(error.reason, reason, error.operation)
      })
    )

    it.live("busy twice, three attempts → the request succeeds", () =>
      Effect.gen(function* () {
        let refusals = 2
        const { requests, store } = yield* open(
          (request, response) =>
            refusals-- > 0 ? sendError(503, protocol.busyCode)(request, response) : sendStored(response, 10),
          { maxAttempts: 3 }
        )
        assert.strictEqual((yield* store.put(key, Generate.stream(3, 10))).size, 10)
        assert.deepStrictEqual(
          requests.map(({ method }) => method),
          [putMethod, putMethod, putMethod]
        )
      })
    )

    if (redirectStatus !== undefined) {
      it.live("redirect → not followed", () =>
        Effect.gen(function* () {
          const { requests, store } = yield* open(
            (_request, response) => void response.writeHead(redirectStatus, { location: "/elsewhere" }).end()
          )
          assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "Internal")
          assert.strictEqual((yield* Effect.flip(Stream.runDrain(store.read(key)))).reason, "Internal")
          assert.deepStrictEqual(requests.map(isRead), [false, true])
        })
      )
    }
  })

  describe(`${name}: service sends too much`, () => {
    it.live("error with a body without end → Internal, bounded memory", () =>
      Effect.gen(function* () {
        const body = EndlessBody.make(400, "text/plain", "no")
        const { store } = yield* open(body.respond)
        for (const request of [
          store.put(key, Generate.stream(1, 10)),
          Stream.runDrain(store.read(key)),
          Stream.runDrain(store.list(""))
        ]) {
          assert.strictEqual((yield* Effect.flip(request)).reason, "Internal")
        }
        assert.isBelow(body.sentBytes(), 32 * 1024 * 1024)
      })
    )

    it.live("read: more bytes than a document may have → all of them, also by the next request", () =>
      Effect.gen(function* () {
        const size = 10 * 1024 * 1024
        const { store } = yield* open((_request, response) => void beginBody(response, size).end(Buffer.alloc(size)))
        for (let request = 0; request < 2; request++) {
          const sizes = Stream.map(store.read(key), ({ byteLength }) => byteLength)
          assert.strictEqual(yield* Stream.runSum(sizes), size)
        }
      })
    )
  })

  describe(`${name}: service sends too little, or nothing`, () => {
    it.live("read: body is cut → Unavailable, without a second request", () =>
      Effect.gen(function* () {
        const { requests, store } = yield* open(
          (_request, response) => void beginBody(response, 1000).write(Buffer.alloc(400), () => response.destroy()),
          { maxAttempts: 3 }
        )
        let count = 0
        const reading = Stream.runForEach(store.read(key), (chunk) => Effect.sync(() => (count += chunk.byteLength)))
        const error = yield* Effect.flip(reading)
        assert.deepStrictEqual([error.reason, error.operation], ["Unavailable", "read"])
        assert.isBelow(count, 1000)
        assert.deepStrictEqual(requests.map(isRead), [true])
      })
    )

    it.live.each([999, 5000])("read: %i bytes for a range of 1000 → Internal before the first byte", (size) =>
      Effect.gen(function* () {
        const { requests, store } = yield* open(
          (_request, response) => void beginBody(response, size, protocol.rangeStatus).end(Buffer.alloc(size))
        )
        let count = 0
        const reading = Stream.runForEach(store.read(key, { range: { offset: 7, length: 1000 } }), () =>
          Effect.sync(() => count++)
        )
        assert.strictEqual((yield* Effect.flip(reading)).reason, "Internal")
        assert.strictEqual(count, 0)
        assert.strictEqual(requests[0]?.headers[protocol.rangeHeader], "bytes=7-1006")
      })
    )

    it.live("no response → Unavailable after the idle timeout", () =>
      Effect.gen(function* () {
        const { store } = yield* open(() => {}, { idleTimeout: "50 millis" })
        assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "Unavailable")
        assert.strictEqual((yield* Effect.flip(store.put(key, Generate.stream(2, 10)))).reason, "Unavailable")
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(store.read(key)))).reason, "Unavailable")
      })
    )

    it.live("read: body stops midway → Unavailable after the idle timeout", () =>
      Effect.gen(function* () {
        const { store } = yield* open((_request, response) => void beginBody(response, 1000).write(Buffer.alloc(400)), {
          idleTimeout: "50 millis"
        })
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(store.read(key)))).reason, "Unavailable")
      })
    )
  })

  describe(`${name}: interruptions and slow readers`, () => {
    it.live("stat and read: interrupted before and during the response → end at once", () =>
      Effect.gen(function* () {
        const requested = yield* Deferred.make<void>()
        const { store } = yield* open((request, response) => {
          if (isRead(request)) beginBody(response, 1000).write(Buffer.alloc(10))
          else Deferred.doneUnsafe(requested, Effect.void)
        })
        const stating = yield* Effect.forkChild(store.stat(key))
        yield* Deferred.await(requested)
        yield* Fiber.interrupt(stating)
        const begun = yield* Deferred.make<void>()
        const reading = yield* Effect.forkChild(
          Stream.runForEach(store.read(key), () => Deferred.succeed(begun, undefined))
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(reading)
      })
    )

    it.live("put: interrupted while the service makes the blob visible → removed again", () =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<() => void>()
        const { requests, store } = yield* open(({ method }, response) => {
          if (method === putMethod) {
            Deferred.doneUnsafe(
              reached,
              Effect.succeed(() => sendStored(response, 10))
            )
          } else response.writeHead(protocol.removedStatus).end()
        })
        const putting = yield* Effect.forkChild(store.put(key, Generate.stream(6, 10)))
        const respond = yield* Deferred.await(reached)
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(putting), { startImmediately: true })
        respond()
        yield* Fiber.join(interrupting)
        assert.deepStrictEqual(
          requests.map(({ method }) => method),
          [putMethod, "DELETE"]
        )
        protocol.assertUndo?.(requests[1])
      })
    )

    it.live("100 readers that pause → other requests are answered", () =>
      Effect.gen(function* () {
        const { store } = yield* open((request, response) => {
          if (isRead(request)) beginBody(response, 1000).write(Buffer.alloc(10))
          else sendStat(response, 7)
        })
        for (let reader = 0; reader < 100; reader++) {
          const begun = yield* Deferred.make<void>()
          yield* Effect.forkChild(Stream.runForEach(store.read(key), () => Deferred.succeed(begun, undefined)))
          yield* Deferred.await(begun)
        }
        assert.deepStrictEqual(yield* store.stat(key), { size: 7 })
      })
    )
  })
}
