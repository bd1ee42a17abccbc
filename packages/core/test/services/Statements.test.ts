/**
 * The number of SQL statements of each operation, so that no change slows one down unnoticed.
 */
import { assert, describe, layer } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import * as ApiKey from "@holdfast/core/access/ApiKey"
import { Accounts } from "@holdfast/core/accounts/Accounts"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import { Downloads } from "@holdfast/core/files/Downloads"
import { Files } from "@holdfast/core/files/Files"
import { Uploads } from "@holdfast/core/files/Uploads"
import * as Holdfast from "@holdfast/core/Holdfast"
import * as MirrorTarget from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as SecretBox from "@holdfast/core/secrets/SecretBox"
import * as Settings from "@holdfast/core/Settings"
import { Conversions } from "@holdfast/core/conversions/Conversions"
import { PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import { Streams } from "@holdfast/core/playback/Streams"
import { Tenants } from "@holdfast/core/tenants/Tenants"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as Statements from "@holdfast/testing/metadata/Statements"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as FakeTranscoder from "@holdfast/testing/transcoding/FakeTranscoder"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const services = (settings: Partial<Settings.Settings>) =>
  Holdfast.layer.pipe(
    Layer.provideMerge([
      MemoryMetadata.layer,
      MemoryBlobStore.layer,
      FakeTranscoder.layer,
      MirrorTarget.layerNone,
      SecretBox.layerNone,
      SecureRandom.layerWebCrypto,
      Digest.layerWebCrypto
    ]),
    Layer.provide(Layer.succeed(Settings.Settings, { ...Settings.defaults, ...settings }))
  )

/** Creates a bucket, and an actor with a key whose account is Admin of its tenant. */
const setUp = Effect.gen(function* () {
  const { key } = yield* (yield* Accounts).createKey(Actor.system, { email: "a@example.com", name: "a" })
  const actor = yield* ApiKey.identify(Redacted.value(key))
  const unique = Math.random().toString(36).slice(2)
  const tenant = yield* (yield* Tenants).create(actor, { name: "T", subdomain: `t${unique}` })
  const bucket = yield* (yield* Buckets).create(actor, tenant.id, { name: "b" })
  return { actor, bucket: { tenantId: tenant.id, bucketId: bucket.id } }
})

const content = Stream.make(new Uint8Array(100))

const count = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.map(Statements.record(self), ({ length }) => length)

describe("SQL statements", () => {
  layer(services({ accessCache: Duration.zero }))("access cache off", (it) => {
    it.effect(
      "upload → 6, two of them for the permission, and 2 for the limits of a bucket that are older than a second; view → 2; record → 2",
      () =>
        Effect.gen(function* () {
          const { actor, bucket } = yield* setUp
          const uploads = yield* Uploads
          assert.strictEqual(yield* count(uploads.upload(actor, bucket, content, Effect.succeed({ name: "a" }))), 8)
          assert.strictEqual(yield* count(uploads.upload(actor, bucket, content, Effect.succeed({ name: "b" }))), 6)
          const file = yield* uploads.upload(actor, bucket, content, Effect.succeed({ name: "c" }))
          const ref = { ...bucket, fileId: file.id }
          assert.strictEqual(yield* count((yield* Downloads).open(actor, ref)), 2)
          assert.strictEqual(yield* count((yield* Files).get(actor, ref)), 2)
        })
    )
  })

  layer(services({}))("access cache on", (it) => {
    it.effect("segment, with an API key or a playback key → 1", () =>
      Effect.gen(function* () {
        const { actor, bucket } = yield* setUp
        const file = yield* (yield* Uploads).upload(actor, bucket, content, Effect.succeed({ name: "a.mp4" }))
        const ref = { ...bucket, fileId: file.id }
        yield* (yield* Conversions).request(actor, ref, "hls")
        const { conversionId } = yield* (yield* Streams).get(actor, ref, "hls")
        const keys = yield* PlaybackKeys
        const { key } = yield* keys.issue(actor, { ...bucket, fileId: file.id, format: "hls", conversionId })
        const open = Effect.gen(function* () {
          const viewer = yield* keys.verify(Redacted.value(key), bucket)
          return yield* Effect.flip((yield* Streams).open(viewer, ref, "hls", "index0.ts"))
        })
        assert.strictEqual((yield* open)._tag, "StreamNotReady")
        assert.strictEqual(yield* count(open), 1)
        assert.strictEqual(yield* count(Effect.flip((yield* Streams).open(actor, ref, "hls", "index0.ts"))), 1)
      })
    )

    it.effect("view → 1; upload → 4; re-upload → 5", () =>
      Effect.gen(function* () {
        const { actor, bucket } = yield* setUp
        const uploads = yield* Uploads
        const file = yield* uploads.upload(actor, bucket, content, Effect.succeed({ name: "a" }))
        const ref = { ...bucket, fileId: file.id }
        assert.strictEqual(yield* count((yield* Downloads).open(actor, ref)), 1)
        assert.strictEqual(yield* count(uploads.upload(actor, bucket, content, Effect.succeed({ name: "b" }))), 4)
        assert.strictEqual(yield* count(uploads.reupload(actor, ref, content)), 5)
      })
    )
  })
})
