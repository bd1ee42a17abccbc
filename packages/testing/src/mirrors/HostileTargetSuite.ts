/**
 * The suite of mirror targets at a service that wants to harm its client. It runs on a `ScriptedServer`. An adapter's
 * test supplies how it opens a target:
 *
 *     HostileTargetSuite.suite("my target", { open, contentType: "application/xml", begin: "<Error>", tooLong })
 */
import { assert, describe, it } from "@effect/vitest"
import type { MirrorTarget } from "@holdfast/core/mirrors/targets/MirrorTarget"
import type { MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as EndlessBody from "../servers/EndlessBody.ts"
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
  /** The type of the service's documents. */
  readonly contentType: string
  /** The beginning of a document. */
  readonly begin: string
  /** The text of the error for a response that is too long. */
  readonly tooLong: string
}

const bytes = Buffer.from("content")

/** Every operation of a target that reads a body. A HEAD has none. */
const operations: Readonly<Record<string, (target: MirrorTarget) => Effect.Effect<unknown, MirrorTargetError>>> = {
  check: ({ check }) => check,
  write: ({ write }) => write(Objects.object("a", bytes), Stream.make(bytes)),
  remove: ({ remove }) => remove("a"),
  list: ({ list }) => Stream.runDrain(list)
}

export const suite = (name: string, { begin, contentType, open, openAt, tooLong }: Subject): void => {
  describe(`${name} at a hostile service`, () => {
    it.live.each(
      Object.keys(operations).flatMap((operation) => [200, 400, 403, 404].map((status) => [operation, status] as const))
    )("%s: %i with a body without end → ends, bounded memory", ([operation, status]) =>
      Effect.gen(function* () {
        const body = EndlessBody.make(status, contentType, begin)
        const target = yield* open(body.respond)
        const before = process.memoryUsage.rss()
        const error = yield* Effect.flip(operations[operation]?.(target) ?? Effect.die("no such operation"))
        assert.deepStrictEqual([error.reason, error.detail], ["Internal", tooLong])
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
