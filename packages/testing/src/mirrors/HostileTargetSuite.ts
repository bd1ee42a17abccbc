/**
 * The suite of mirror targets at a service that wants to harm its client. It runs on a `ScriptedServer`. An adapter's
 * test supplies how it opens a target:
 *
 *     HostileTargetSuite.suite("my target", { open, openAt, contentType: "application/xml", begin: "<Error>", details })
 */
import { assert, describe, it } from "@effect/vitest"
import type { MirrorTarget } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Generate from "../data/Generate.ts"
import * as EndlessBody from "../servers/EndlessBody.ts"
import * as RawServer from "../servers/RawServer.ts"
import * as ScriptedServer from "../servers/ScriptedServer.ts"
import type { Respond } from "../servers/ScriptedServer.ts"
import * as SlowServer from "../servers/SlowServer.ts"
import * as Objects from "./contract/Objects.ts"

const mebibyte = 1024 * 1024

/** How an adapter opens targets, and what the responses of its service look like. */
export interface Subject {
  /** Opens a target at a service with these responses. Tokens, if the adapter needs any, are granted. */
  readonly open: (respond: Respond) => Effect.Effect<MirrorTarget, MirrorTargetError, Scope.Scope>
  /** Opens a target at an endpoint. */
  readonly openAt: (
    endpoint: string,
    options: { readonly requestTimeout: Duration.Input }
  ) => Effect.Effect<MirrorTarget, MirrorTargetError, Scope.Scope>
  /** Responds as a healthy service that stores an object of so many bytes in three parts. */
  readonly respondToUpload: (size: number) => Respond
  /** How many requests such an upload takes. */
  readonly uploadRequests: number
  /** Responds with an error of this message. */
  readonly respondError: (message: string) => Respond
  /** The type of the service's documents. */
  readonly contentType: string
  /** Objects that the adapter requests per page. */
  readonly pageSize: number
  /** Returns the page of a listing; `next` is the token of the next one. */
  readonly page: (names: ReadonlyArray<string>, next: string | undefined) => string
  /** The beginning of a document. */
  readonly begin: string
  /** The texts of the errors for responses that no correct service sends. */
  readonly details: {
    /** A body that is too long. */
    readonly tooLong: string
    /** A response that does not answer the request. */
    readonly unexpected: string
    /** The text for a document that does not follow the protocol begins with it. */
    readonly malformed: string
  }
}

const bytes = Buffer.from("content")

/** Every operation of a target that reads a body. A HEAD has none. */
const operations: Readonly<Record<string, (target: MirrorTarget) => Effect.Effect<unknown, MirrorTargetError>>> = {
  check: ({ check }) => check,
  write: ({ write }) => write(Objects.object("a", bytes), Stream.make(bytes)),
  remove: ({ remove }) => remove("a"),
  list: ({ list }) => Stream.runDrain(list)
}

/** Page tokens of listings without end. */
const endless: Readonly<Record<string, (page: number) => string>> = {
  "the same page each time": () => "same",
  "three pages in a circle": (page) => `page ${page % 3}`
}

const allOperations: typeof operations = {
  ...operations,
  describe: ({ describe }) => describe(Objects.object("a", bytes)),
  stat: ({ stat }) => stat("a"),
  read: ({ read }) => Stream.runDrain(read("a"))
}

/** Responses that change the protocol (RFC 9110, section 15.2.2), which no request has asked for. */
const changes = {
  "the name of the protocol": "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n",
  "bytes of the protocol": "HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: other\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
}

/** Interim responses (RFC 9110, section 15.2), which a service may send before its response. */
const interim = {
  "100": "HTTP/1.1 100 Continue\r\n\r\n",
  "103 with headers": `HTTP/1.1 103 Early Hints\r\n${"a: b\r\n".repeat(1000)}\r\n`
}

/** Messages that a database does not store, that break a log into lines, or that are too long. */
const messages = {
  NUL: "a\0b",
  "a lone surrogate": "a\ud800b",
  "encoded characters": "a&#0;&#xD800;b",
  "control characters": "a\r\nb\u001b[31m\u2028\u202e",
  "100,000 characters": "\u{1f600}".repeat(50_000)
}

export const suite = (name: string, subject: Subject): void => {
  const { begin, contentType, details, open, openAt, page, pageSize, respondError } = subject
  const { respondToUpload, uploadRequests } = subject
  describe(`${name} at a hostile service`, () => {
    it.live.each(
      Object.keys(operations).flatMap((operation) => [200, 400, 403, 404].map((status) => [operation, status] as const))
    )("%s: %i with a body without end → ends, bounded memory", ([operation, status]) =>
      Effect.gen(function* () {
        const body = EndlessBody.make(status, contentType, begin)
        const target = yield* open(body.respond)
        const before = process.memoryUsage.rss()
        const error = yield* Effect.flip(operations[operation]?.(target) ?? Effect.die("no such operation"))
        assert.deepStrictEqual([error.reason, error.detail], ["Internal", details.tooLong])
        // What the sockets' buffers hold is sent as well.
        assert.isBelow(body.sentBytes(), 32 * mebibyte)
        assert.isBelow(process.memoryUsage.rss() - before, 256 * mebibyte)
      })
    )

    it.live.each([
      ["http", "sends nothing"],
      // Its TLS handshake never completes.
      ["https", "sends nothing"],
      ["http", "sends one header line after the other"],
      ["http", "sends one byte after the other"]
    ] as const)("%s, service %s → every operation is Unavailable after the request timeout", ([scheme, behaviour]) =>
      Effect.gen(function* () {
        const target = yield* openAt(`${scheme}://${yield* SlowServer.open(behaviour)}`, {
          requestTimeout: "200 millis"
        })
        for (const [operation, run] of Object.entries(operations)) {
          assert.strictEqual((yield* Effect.flip(run(target))).reason, "Unavailable", operation)
        }
      })
    )

    /** Lists at a service with these pages. Returns the error, and how many pages were requested. */
    const listPages = Effect.fnUntraced(function* (pageAt: (index: number) => string) {
      let requested = 0
      const target = yield* open((_request, response) => {
        response.writeHead(200, { "content-type": contentType }).end(pageAt(requested++))
      })
      const result = yield* Effect.result(Stream.runCollect(target.list))
      return { result, requested }
    })

    it.live.each(Object.keys(endless))("list: %s → Internal", (kind) =>
      Effect.gen(function* () {
        const { requested, result } = yield* listPages((index) => page([`name ${index}`], endless[kind]?.(index)))
        assert.isTrue(Result.isFailure(result) && result.failure.reason === "Internal")
        assert.isTrue(Result.isFailure(result) && result.failure.detail.startsWith(details.malformed))
        assert.isAtMost(requested, 12)
      })
    )

    it.live("list: empty pages without end → Internal", () =>
      Effect.gen(function* () {
        const { requested, result } = yield* listPages((index) => page([], `page ${index}`))
        assert.isTrue(Result.isFailure(result) && result.failure.reason === "Internal")
        assert.isAtMost(requested, 100)
      })
    )

    it.live("list: some empty pages between others → every object", () =>
      Effect.gen(function* () {
        const { result } = yield* listPages((index) =>
          page(index % 10 === 0 ? [`name ${index}`] : [], index < 30 ? `page ${index}` : undefined)
        )
        const names = Result.getOrThrow(result).map((object) => object.name)
        assert.deepStrictEqual(names, ["name 0", "name 10", "name 20", "name 30"])
      })
    )

    it.live("list: more objects in a page than requested → Internal", () =>
      Effect.gen(function* () {
        const names = Array.from({ length: pageSize + 1 }, (_, index) => `name ${index}`)
        const { result } = yield* listPages(() => page(names, undefined))
        assert.isTrue(Result.isFailure(result) && result.failure.detail.startsWith(details.malformed))
        const whole = yield* listPages(() => page(names.slice(1), undefined))
        assert.strictEqual(Result.getOrThrow(whole.result).length, pageSize)
      })
    )

    it.live("list: page with the longest names → every object", () =>
      Effect.gen(function* () {
        const names = Array.from({ length: pageSize }, (_, index) => `${"€".repeat(340)} ${index}`)
        const { result } = yield* listPages(() => page(names, undefined))
        assert.deepStrictEqual(
          Result.getOrThrow(result).map((object) => object.name),
          names
        )
      })
    )

    it.live.each([
      ["more bytes than such a page has", (unit: string) => unit.repeat(pageSize * 6 * 1024)],
      ["more tags than such a page has", () => "<a/>".repeat(pageSize * 200)]
    ] as const)("list: page with %s → ends", ([, fill]) =>
      Effect.gen(function* () {
        const { result } = yield* listPages(() => page([fill("a")], undefined))
        assert.isTrue(Result.isFailure(result) && result.failure.detail === details.tooLong)
      })
    )

    it.live.each(Object.entries(changes))("101 with %s → every operation is Internal", ([, text]) =>
      Effect.gen(function* () {
        const { endpoint } = yield* RawServer.open(text)
        const target = yield* openAt(endpoint, { requestTimeout: "1 hour" })
        for (const [operation, run] of Object.entries(allOperations)) {
          const error = yield* Effect.flip(run(target))
          assert.deepStrictEqual([error.reason, error.detail], ["Internal", details.unexpected], operation)
        }
      })
    )

    it.live.each(Object.entries(interim))("%s without end → every operation is Internal, few bytes sent", ([, text]) =>
      Effect.gen(function* () {
        const server = yield* RawServer.openEndless(text)
        const target = yield* openAt(server.endpoint, { requestTimeout: "1 hour" })
        for (const [operation, run] of Object.entries(allOperations)) {
          const error = yield* Effect.flip(run(target))
          assert.deepStrictEqual([error.reason, error.detail], ["Internal", details.unexpected], operation)
        }
        // What the sockets' buffers hold is sent as well.
        assert.isBelow(server.sentBytes(), 64 * mebibyte)
      })
    )

    it.live.each(Object.entries(messages))("error with %s → one line of well-formed text", ([, message]) =>
      Effect.gen(function* () {
        const target = yield* open(respondError(message))
        for (const [operation, run] of Object.entries(operations)) {
          const { detail } = yield* Effect.flip(run(target))
          assert.match(detail, /^[^\p{C}\u2028\u2029]{3,300}$/u, operation)
          assert.isTrue(detail.isWellFormed(), operation)
        }
      })
    )

    it.live("large object, and the service responds to no further request → an interruption of the upload ends", () =>
      Effect.gen(function* () {
        const large = Generate.bytes(1, 17 * mebibyte)
        const object = Objects.object("a", large)
        const respond = respondToUpload(large.byteLength)
        const interruptAfter = Effect.fnUntraced(function* (responses: number) {
          const isSilent = yield* Deferred.make<void>()
          let received = 0
          const { endpoint } = yield* ScriptedServer.open((request, response) => {
            if (received++ < responses) respond(request, response)
            else Deferred.doneUnsafe(isSilent, Effect.void)
          })
          const target = yield* openAt(endpoint, { requestTimeout: "1 hour" })
          const writing = yield* Effect.forkChild(target.write(object, Stream.make(large)))
          yield* Deferred.await(isSilent)
          yield* Fiber.interrupt(writing)
        })
        // Without a bound, the test would run into its own timeout.
        yield* Effect.forEach(Array.from({ length: uploadRequests }).keys(), interruptAfter, {
          concurrency: "unbounded",
          discard: true
        })
      })
    )

    it.live.each(Object.keys(operations))("%s: interrupted while the service responds → ends at once", (operation) =>
      Effect.gen(function* () {
        const endpoint = `http://${yield* SlowServer.open("sends one header line after the other")}`
        const target = yield* openAt(endpoint, { requestTimeout: "1 hour" })
        const run = operations[operation]?.(target) ?? Effect.die("no such operation")
        // Without the interruption, the test would run into its own timeout.
        assert.deepStrictEqual(yield* Effect.timeoutOption(run, "100 millis"), Option.none())
      })
    )
  })
}
