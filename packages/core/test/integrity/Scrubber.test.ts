import { assert, describe, it } from "@effect/vitest"
import { ContentHasher } from "@holdfast/core/integrity/ContentHasher"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import * as SourceCheck from "@holdfast/core/conversions/worker/SourceCheck"
import * as Integrity from "@holdfast/core/integrity/Integrity"
import * as Scrubber from "@holdfast/core/integrity/Scrubber"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { etagOf } from "@holdfast/core/files/File"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as BlobFaults from "@holdfast/testing/storage/BlobFaults"
import * as FaultyBlobStore from "@holdfast/testing/storage/FaultyBlobStore"
import * as MemoryBlobStore from "@holdfast/testing/storage/MemoryBlobStore"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MemoryMetadata from "@holdfast/testing/metadata/MemoryMetadata"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { createHash } from "node:crypto"

const hasher = Layer.succeed(
  ContentHasher,
  ContentHasher.of({
    sha256: () => {
      const hash = createHash("sha256")
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") }
    }
  })
)

const services = Scrubber.layer.pipe(
  Layer.provideMerge(Integrity.layer),
  Layer.provideMerge([
    MemoryMetadata.layer,
    FaultyBlobStore.layer.pipe(Layer.provide(MemoryBlobStore.layer)),
    hasher,
    SecureRandom.layerWebCrypto
  ])
)

const options: Scrubber.ScrubOptions = { name: "test", period: "1 day", share: 1 }

/** Stores a file with these bytes. Returns its blob. */
const store = Effect.fnUntraced(function* (bucket: { tenantId: string; bucketId: string }, text: string) {
  const blobId = yield* Fixtures.stage(bucket)
  const key = BlobKey.make({ ...bucket, blobId })
  const { sha256, size } = yield* (yield* BlobStore).put(key, Stream.succeed(Buffer.from(text)))
  const content = { ...Sample.content(blobId), sha256, size, etag: etagOf(sha256) }
  const file = Sample.file({ version: 1, content })
  yield* (yield* FileRepository).insert(bucket, file)
  return { key, blobId, fileId: file.id }
})

const change = (key: string, text: string) =>
  Effect.flatMap(BlobStore, (blobs) => blobs.put(key, Stream.succeed(Buffer.from(text))))

describe("Scrubber", () => {
  it.live("contents changed, cut and removed → found once each, recorded; right bytes again → cleared", () =>
    Effect.gen(function* () {
      const { scrub } = yield* Scrubber.Scrubber
      const blobs = yield* BlobStore
      const bucket = yield* Fixtures.bucket()
      const files = yield* Effect.forEach(Array.from({ length: 250 }).keys(), (index) =>
        store(bucket, `content ${index}`)
      )
      const [changed, cut, removed] = [files[3], files[120], files[249]]
      if (changed === undefined || cut === undefined || removed === undefined) return assert.fail("no files")
      yield* change(changed.key, "Content 3")
      yield* change(cut.key, "content 12")
      yield* blobs.remove(removed.key)
      const found: Array<string> = []
      const onDamage: Scrubber.ScrubOptions["onDamage"] = ({ blobId }, kind) =>
        Effect.sync(() => void found.push(`${blobId} ${kind}`))
      const report = Option.getOrThrow(yield* scrub({ ...options, onDamage }))
      assert.deepInclude(report, { blobs: 250, damaged: 3, unreadable: 0 })
      const expected = [`${changed.blobId} Damaged`, `${cut.blobId} WrongSize`, `${removed.blobId} Missing`]
      assert.deepStrictEqual(found, expected)
      assert.strictEqual((yield* Fixtures.blob(changed.blobId))?.damage, "Damaged")
      assert.deepStrictEqual(yield* scrub(options), Option.none())

      yield* change(changed.key, "content 3")
      yield* change(cut.key, "content 120")
      yield* change(removed.key, "content 249")
      const again = Option.getOrThrow(yield* scrub({ ...options, period: 0, restart: true, onDamage }))
      assert.deepInclude(again, { blobs: 250, damaged: 0 })
      assert.isNull((yield* Fixtures.blob(changed.blobId))?.damage)
      assert.lengthOf(found, 3)
    }).pipe(Effect.provide(services))
  )

  it.live("first read has other bytes, the second one the right ones → not damaged", () =>
    Effect.gen(function* () {
      const { scrub } = yield* Scrubber.Scrubber
      const faults = yield* BlobFaults.BlobFaults
      const { blobId } = yield* store(yield* Fixtures.bucket(), "content")
      yield* faults.inject({ method: "read", action: BlobFaults.cutAfter(3), calls: (call) => call <= 2 })
      assert.deepInclude(Option.getOrThrow(yield* scrub(options)), { blobs: 1, damaged: 0 })
      assert.isNull((yield* Fixtures.blob(blobId))?.damage)
    }).pipe(Effect.provide(services))
  )

  it.effect("interrupted → the next scrub continues after the last stored position; a second one at once → none", () =>
    Effect.gen(function* () {
      const { scrub } = yield* Scrubber.Scrubber
      const faults = yield* BlobFaults.BlobFaults
      const bucket = yield* Fixtures.bucket()
      yield* Effect.forEach(Array.from({ length: 150 }).keys(), (index) => store(bucket, `content ${index}`))
      // Four contents per second; the position is stored every twenty seconds.
      const running = yield* Effect.forkChild(scrub({ ...options, bytesPerSecond: 40 }))
      yield* TestClock.adjust("25 seconds")
      assert.deepStrictEqual(yield* scrub(options), Option.none())
      yield* Fiber.interrupt(running)
      const reads = yield* faults.calls("read")
      assert.isBelow(reads, 150)
      const report = Option.getOrThrow(yield* scrub(options))
      assert.strictEqual(report.blobs, 150)
      assert.isBelow((yield* faults.calls("read")) - reads, 150)
    }).pipe(Effect.provide(services))
  )

  it.effect("contents compared before their conversion, reads of 10 ms → twice as long", () =>
    Effect.gen(function* () {
      const isIntact = yield* SourceCheck.SourceCheck
      const faults = yield* BlobFaults.BlobFaults
      const { blobId, key } = yield* store(yield* Fixtures.bucket(), "content")
      yield* faults.inject({ method: "read", action: BlobFaults.before(Effect.sleep("10 millis")) })
      const running = yield* Effect.forkChild(isIntact(blobId))
      yield* TestClock.adjust("19 millis")
      assert.isUndefined(running.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.isTrue(yield* Fiber.join(running))
      yield* change(key, "Content")
      const changed = yield* Effect.forkChild(isIntact(blobId))
      yield* TestClock.adjust("40 millis")
      assert.isFalse(yield* Fiber.join(changed))
    }).pipe(Effect.provide(SourceCheck.layer.pipe(Layer.provideMerge(services))))
  )

  it.effect("share of a tenth, reads of 10 ms → ten times as long", () =>
    Effect.gen(function* () {
      const { scrub } = yield* Scrubber.Scrubber
      const faults = yield* BlobFaults.BlobFaults
      const bucket = yield* Fixtures.bucket()
      yield* Effect.forEach(Array.from({ length: 100 }).keys(), (index) => store(bucket, `content ${index}`))
      yield* faults.inject({ method: "read", action: BlobFaults.before(Effect.sleep("10 millis")) })
      const begin = yield* Clock.currentTimeMillis
      const running = yield* Effect.forkChild(scrub({ ...options, share: 0.1 }))
      yield* TestClock.adjust("9900 millis")
      assert.isUndefined(running.pollUnsafe())
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(Option.getOrThrow(yield* Fiber.join(running)).blobs, 100)
      assert.isAtLeast((yield* Clock.currentTimeMillis) - begin, 10_000)
    }).pipe(Effect.provide(services))
  )

  it.live("store fails → content counted as unreadable; ten in a row → the scrub fails and continues there", () =>
    Effect.gen(function* () {
      const { scrub } = yield* Scrubber.Scrubber
      const faults = yield* BlobFaults.BlobFaults
      const bucket = yield* Fixtures.bucket()
      const files = yield* Effect.forEach(Array.from({ length: 20 }).keys(), (index) =>
        store(bucket, `content ${index}`)
      )
      yield* faults.inject({
        method: "read",
        key: (key) => key === files[0]?.key,
        action: BlobFaults.fail("Unavailable")
      })
      assert.deepInclude(Option.getOrThrow(yield* scrub(options)), { blobs: 19, damaged: 0, unreadable: 1 })
      yield* faults.inject({ method: "read", action: BlobFaults.fail("Unavailable") })
      const error = yield* Effect.flip(scrub({ ...options, restart: true }))
      assert.strictEqual(error._tag, "BlobError")
      yield* faults.clear
      assert.deepInclude(Option.getOrThrow(yield* scrub(options)), { blobs: 20, unreadable: 0 })
    }).pipe(Effect.provide(services))
  )

  it.live("device fails to read one content → damaged; store fails as a whole → unreadable, nothing recorded", () =>
    Effect.gen(function* () {
      const { scrub } = yield* Scrubber.Scrubber
      const faults = yield* BlobFaults.BlobFaults
      const bucket = yield* Fixtures.bucket()
      const { blobId, key } = yield* store(bucket, "content")
      yield* store(bucket, "other content")
      yield* faults.inject({ method: "read", key: (read) => read === key, action: BlobFaults.fail("Unreadable") })
      yield* faults.inject({ method: "check", action: BlobFaults.fail("Unavailable") })
      assert.deepInclude(Option.getOrThrow(yield* scrub(options)), { damaged: 0, unreadable: 1 })
      assert.isNull((yield* Fixtures.blob(blobId))?.damage)

      yield* faults.clear
      yield* faults.inject({ method: "read", key: (read) => read === key, action: BlobFaults.fail("Unreadable") })
      const again = { ...options, period: 0, restart: true }
      assert.deepInclude(Option.getOrThrow(yield* scrub(again)), { blobs: 2, damaged: 1, unreadable: 0 })
      assert.strictEqual((yield* Fixtures.blob(blobId))?.damage, "Damaged")
    }).pipe(Effect.provide(services))
  )

  it.live("restoreContent: other bytes → NotTheContent, nothing changed; right bytes → stored and cleared", () =>
    Effect.gen(function* () {
      const integrity = yield* Integrity.Integrity
      const blobs = yield* BlobStore
      const damage = yield* DamageRepository
      const bucket = yield* Fixtures.bucket()
      const { blobId, key } = yield* store(bucket, "content")
      yield* change(key, "Content")
      assert.strictEqual(yield* integrity.verifyById(blobId), "Damaged")
      for (const text of ["contenT", "conten", "content and more", ""]) {
        const error = yield* Effect.flip(integrity.restoreContent(blobId, Stream.succeed(Buffer.from(text))))
        assert.strictEqual(error._tag, "NotTheContent")
        assert.strictEqual(Buffer.concat(yield* Stream.runCollect(blobs.read(key))).toString(), "Content")
      }
      const cut = Stream.concat(Stream.succeed(Buffer.from("con")), Stream.fail("cut" as const))
      assert.strictEqual(yield* Effect.flip(integrity.restoreContent(blobId, cut)), "cut")
      assert.isTrue(Option.isSome(yield* damage.find(blobId)))
      yield* integrity.restoreContent(blobId, Stream.make(Buffer.from("con"), Buffer.from("tent")))
      assert.strictEqual(Buffer.concat(yield* Stream.runCollect(blobs.read(key))).toString(), "content")
      assert.isUndefined(yield* integrity.verifyById(blobId))
      assert.strictEqual(
        (yield* Effect.flip(integrity.restoreContent(Sample.id("blb"), Stream.empty)))._tag,
        "NotFound"
      )
    }).pipe(Effect.provide(services))
  )
})
