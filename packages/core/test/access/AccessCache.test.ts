import { assert, describe, it } from "@effect/vitest"
import { Access, layer } from "@holdfast/core/access/Access"
import { AccessRepository, type Principal } from "@holdfast/core/access/AccessRepository"
import * as Actor from "@holdfast/core/Actor"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"

const id = (kind: string, last: string) => `${kind}_00000000-0000-7000-8000-00000000000${last}`
const tenantId = id("ten", "1")
const actor = Actor.key("hash")

const principal = (revokedAt: DateTime.Utc | null): Principal => ({
  account: { id: id("acc", "2"), email: "a@example.com" },
  credential: { id: "key", tenantId: null, expiresAt: null, revokedAt, scope: null, allowedOrigins: null },
  member: { id: id("mem", "3"), role: "role_file_reader" }
})

interface LookUps {
  number: number
  /** What the next look-ups find. */
  result: Effect.Effect<Option.Option<Principal>>
}

/** Runs a test with a repository that counts the look-ups of keys. */
const withLookUps = <A, E>(run: (lookUps: LookUps) => Effect.Effect<A, E, Access>) => {
  const lookUps: LookUps = { number: 0, result: Effect.succeedSome(principal(null)) }
  const repository = AccessRepository.of({
    findByKey: () =>
      Effect.suspend(() => {
        lookUps.number++
        return lookUps.result
      }),
    findByCredential: () => Effect.succeedNone,
    findByAccount: () => Effect.succeedNone,
    findByShare: () => Effect.succeedNone,
    isPublic: () => Effect.succeed(false),
    recordUse: () => Effect.void
  })
  return Effect.provide(run(lookUps), Layer.provide(layer, Layer.succeed(AccessRepository, repository)))
}

/** Requires a permission. Returns the tag of the error, or `read`. */
const read = Effect.flatMap(Access, (access) => access.require(actor, tenantId, "file:read")).pipe(
  Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "read" })
)

describe("cache of look-ups", () => {
  it.effect("used shortly before its end → one further look-up, for which no request waits", () =>
    withLookUps((lookUps) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* read, "read")
        yield* TestClock.adjust("790 millis")
        assert.strictEqual(yield* read, "read")
        assert.strictEqual(lookUps.number, 1)
        const lookUp = yield* Deferred.make<Option.Option<Principal>>()
        lookUps.result = Deferred.await(lookUp)
        yield* TestClock.adjust("20 millis")
        assert.deepStrictEqual([yield* read, yield* read], ["read", "read"])
        assert.strictEqual(lookUps.number, 2)
        yield* Deferred.succeed(lookUp, Option.some(principal(null)))
        yield* TestClock.adjust("700 millis")
        assert.strictEqual(yield* read, "read")
        assert.strictEqual(lookUps.number, 2)
      })
    )
  )

  it.effect("not used for a second → the next request looks up again", () =>
    withLookUps((lookUps) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* read, "read")
        lookUps.result = Effect.succeedSome(principal(DateTime.makeUnsafe(0)))
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* read, "Unauthenticated")
        assert.strictEqual(lookUps.number, 2)
      })
    )
  )

  it.effect("clock set back by an hour → the next request looks up again", () =>
    withLookUps((lookUps) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(7_200_000)
        assert.strictEqual(yield* read, "read")
        lookUps.result = Effect.succeedSome(principal(DateTime.makeUnsafe(0)))
        yield* TestClock.setTime(3_600_000)
        assert.strictEqual(yield* read, "Unauthenticated")
        assert.strictEqual(lookUps.number, 2)
      })
    )
  )

  it.effect.each([
    ["revoked", Effect.succeedSome(principal(DateTime.makeUnsafe(0)))],
    ["deleted", Effect.succeedNone]
  ] as const)("look-up shortly before the end finds the key %s → the next request is refused", ([, result]) =>
    withLookUps((lookUps) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* read, "read")
        lookUps.result = result
        yield* TestClock.adjust("900 millis")
        assert.strictEqual(yield* read, "read")
        assert.strictEqual(yield* read, "Unauthenticated")
      })
    )
  )

  it.effect("cache cleared while a look-up runs → its result is not used", () =>
    withLookUps((lookUps) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* read, "read")
        const lookUp = yield* Deferred.make<Option.Option<Principal>>()
        lookUps.result = Deferred.await(lookUp)
        yield* TestClock.adjust("900 millis")
        assert.strictEqual(yield* read, "read")
        yield* (yield* Access).clearCache
        yield* Deferred.succeed(lookUp, Option.some(principal(null)))
        lookUps.result = Effect.succeedNone
        assert.strictEqual(yield* read, "Unauthenticated")
      })
    )
  )
})
