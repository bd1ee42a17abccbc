import { assert, describe, it } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import * as Ids from "@holdfast/core/Ids"
import * as Settings from "@holdfast/core/Settings"
import { SigningSecret } from "@holdfast/core/secrets/SigningSecret"
import * as PlaybackKeys from "@holdfast/core/playback/PlaybackKeys"
import type { StreamRef } from "@holdfast/core/playback/Viewer"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const secret = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))

const keys = (fill?: number) =>
  PlaybackKeys.layer.pipe(
    Layer.fresh,
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provide(Layer.succeed(SigningSecret, fill === undefined ? undefined : secret(fill))),
    Layer.provide(Layer.succeed(Settings.Settings, { ...Settings.defaults, playbackLifetime: Duration.hours(12) }))
  )

const stream: Effect.Effect<StreamRef, never, SecureRandom.SecureRandom> = Effect.all({
  tenantId: Ids.make("ten"),
  bucketId: Ids.make("bkt"),
  fileId: Ids.make("fil"),
  format: Effect.succeed("dash" as const),
  conversionId: Ids.make("cnv")
})

const issue = (actor: Actor.Actor, ref: StreamRef) =>
  Effect.flatMap(PlaybackKeys.PlaybackKeys, (service) => service.issue(actor, ref))

const verify = (key: Redacted.Redacted, ref: StreamRef) =>
  Effect.flatMap(PlaybackKeys.PlaybackKeys, (service) => service.verify(Redacted.value(key), ref))

describe("PlaybackKeys", () => {
  it.effect("issue and verify: any kind of actor → its parent, stream and expiry; reissue → the same key", () =>
    Effect.gen(function* () {
      const ref = yield* stream
      const account = Actor.account(yield* Ids.make("acc"))
      for (const actor of [Actor.system, Actor.key("0123456789abcdef".repeat(4)), account]) {
        const { expiresAt, key } = yield* issue(actor, ref)
        const playback = yield* verify(key, ref)
        const parent = actor._tag === "Key" ? Actor.parentKey(actor.hash) : actor
        assert.deepStrictEqual(playback.parent, parent)
        assert.deepStrictEqual(playback.stream, ref)
        assert.deepStrictEqual(playback.expiresAt, expiresAt)
        // The holder gets the same key, with the same expiry.
        yield* TestClock.adjust("3 hours")
        const service = yield* PlaybackKeys.PlaybackKeys
        assert.strictEqual(Redacted.value((yield* service.issue(playback, ref)).key), Redacted.value(key))
      }
    }).pipe(Effect.provide(keys()))
  )

  it.effect("lifetime of 12 hours → same key for an hour; expires after 12 to 13 hours", () =>
    Effect.gen(function* () {
      const ref = yield* stream
      yield* TestClock.setTime(Date.UTC(2026, 0, 1, 10, 30))
      const { expiresAt, key } = yield* issue(Actor.system, ref)
      assert.strictEqual(DateTime.toEpochMillis(expiresAt), Date.UTC(2026, 0, 1, 23))
      yield* TestClock.adjust("29 minutes")
      assert.strictEqual(Redacted.value((yield* issue(Actor.system, ref)).key), Redacted.value(key))
      yield* TestClock.adjust("2 minutes")
      assert.notStrictEqual(Redacted.value((yield* issue(Actor.system, ref)).key), Redacted.value(key))
      yield* TestClock.setTime(Date.UTC(2026, 0, 1, 23) - 1)
      yield* verify(key, ref)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Effect.flip(verify(key, ref)))._tag, "Unauthenticated")
    }).pipe(Effect.provide(keys()))
  )

  it.effect("verify: same secret → valid; other secret → Unauthenticated", () =>
    Effect.gen(function* () {
      const ref = yield* Effect.provide(stream, SecureRandom.layerWebCrypto)
      const { key } = yield* Effect.provide(issue(Actor.system, ref), keys(1))
      yield* Effect.provide(verify(key, ref), keys(1))
      for (const other of [keys(2), keys(), keys()]) {
        const refused = yield* Effect.flip(Effect.provide(verify(key, ref), other))
        assert.strictEqual(refused._tag, "Unauthenticated")
      }
    })
  )

  it.effect("key is printed or serialized → redacted", () =>
    Effect.gen(function* () {
      const ref = yield* stream
      const { key } = yield* issue(Actor.system, ref)
      assert.notInclude(JSON.stringify(yield* verify(key, ref)) + String(key), "hfp_")
    }).pipe(Effect.provide(keys()))
  )
})
