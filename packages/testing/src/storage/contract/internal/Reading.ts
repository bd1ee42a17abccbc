/**
 * The tests of reading: ranges, missing keys, and blobs that are removed or replaced while they are read.
 */
import { assert } from "@effect/vitest"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import * as Generate from "../../../data/Generate.ts"
import * as Blobs from "./Blobs.ts"
import type { Settings, Tester } from "./Settings.ts"

/** Reads the first chunk of a blob, runs an effect, and reads the rest. */
const readAround = <E, R>(key: string, between: Effect.Effect<unknown, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* BlobStore.BlobStore
      const pull = yield* Stream.toPull(store.read(key))
      const first = yield* pull
      yield* between
      const rest = yield* Effect.exit(Blobs.collect(Stream.fromPull(Effect.succeed(pull))))
      return Exit.map(rest, (bytes) => Buffer.concat([...first, bytes]))
    }).pipe(Pull.catchDone(() => Effect.die(new Error("the blob had no first chunk"))))
  )

export const register = (it: Tester, { timeout }: Settings): void => {
  const size = 3 * Blobs.mebibyte + 11
  const ranges: ReadonlyArray<readonly [name: string, range: BlobStore.ByteRange]> = [
    ["the first byte", { offset: 0, length: 1 }],
    ["the last byte", { offset: size - 1, length: 1 }],
    ["the whole", { offset: 0, length: size }],
    ["a middle", { offset: 1_000_003, length: 70_001 }],
    ["a long middle", { offset: 5, length: size - 10 }],
    ["the second half", { offset: Math.floor(size / 2), length: size - Math.floor(size / 2) }],
    ["nothing at the beginning", { offset: 0, length: 0 }],
    ["nothing at the end", { offset: size, length: 0 }]
  ]

  it.effect.each(ranges)(
    "read: range %s → its bytes",
    ([, range]) =>
      Effect.gen(function* () {
        const key = Blobs.freshKey()
        const content = Generate.bytes(20, size)
        yield* Blobs.put(key, content)
        Blobs.assertSame(yield* Blobs.readAll(key, range), content.subarray(range.offset, range.offset + range.length))
      }),
    timeout
  )

  it.effect.each<[BlobStore.ByteRange | undefined]>([[undefined], [{ offset: 1_000_003, length: 1_500_001 }]])(
    "read: isTransient, range %j → the right bytes in each chunk when it is pulled",
    ([range]) =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const content = Generate.bytes(26, size)
        yield* Blobs.put(key, content)
        const chunks: Array<Uint8Array> = []
        const reading = store.read(key, { range, isTransient: true })
        yield* Stream.runForEach(Stream.rechunk(reading, 1), (chunk) =>
          Effect.sync(() => void chunks.push(new Uint8Array(chunk)))
        )
        const { length, offset } = range ?? { offset: 0, length: size }
        Blobs.assertSame(Buffer.concat(chunks), content.subarray(offset, offset + length))
      }),
    timeout
  )

  it.effect(
    "read: 30 ranges and whole blobs at the same time → the right bytes each",
    () =>
      Effect.gen(function* () {
        const key = Blobs.freshKey()
        const content = Generate.bytes(21, Blobs.mebibyte)
        yield* Blobs.put(key, content)
        yield* Effect.forEach(
          Array.from({ length: 30 }, (_, index) => index),
          (index) => {
            const offset = Generate.integer(22, index, content.byteLength)
            const length = Generate.integer(23, index, content.byteLength - offset)
            const range = index % 5 === 0 ? undefined : { offset, length }
            const expected = range === undefined ? content : content.subarray(offset, offset + length)
            return Effect.map(Blobs.readAll(key, range), (actual) => Blobs.assertSame(actual, expected))
          },
          { concurrency: "unbounded", discard: true }
        )
      }),
    timeout
  )

  it.effect.each([[undefined], [{ offset: 0, length: 10 }], [{ offset: 0, length: 0 }]])(
    "read: missing key, range %j → NotFound before the first chunk",
    ([range]) =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        // In a bucket with another blob, and in an empty bucket.
        const bucket = { tenantId: Blobs.freshId("ten"), bucketId: Blobs.freshId("bkt") }
        yield* Blobs.put(Blobs.freshKey(bucket), Generate.bytes(24, 10))
        for (const key of [Blobs.freshKey(bucket), Blobs.freshKey()]) {
          let chunks = 0
          const reading = Stream.runForEach(store.read(key, { range }), () => Effect.sync(() => chunks++))
          const error = yield* Effect.flip(reading)
          assert.strictEqual(error._tag, "BlobError")
          assert.strictEqual(error.reason, "NotFound")
          assert.isFalse(error.isRetryable)
          assert.strictEqual(chunks, 0)
          assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "NotFound")
        }
      }),
    timeout
  )

  it.effect.each<[BlobStore.ByteRange | undefined, number]>([
    [undefined, -1],
    [undefined, 1],
    [{ offset: 0, length: 10 }, -1],
    [{ offset: 0, length: 10 }, 1],
    [{ offset: 95, length: 6 }, 1],
    [{ offset: 0, length: 0 }, 1]
  ])(
    "read: range %j, size from the record differs by %i → Damaged before the first chunk; right size → the bytes",
    ([range, difference]) =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const content = Generate.bytes(29, 100)
        yield* Blobs.put(key, content)
        let chunks = 0
        const reading = (size: number) =>
          Stream.runForEach(store.read(key, { range, size }), () => Effect.sync(() => chunks++))
        const error = yield* Effect.flip(reading(100 + difference))
        assert.strictEqual(error.reason, "Damaged")
        assert.isFalse(error.isRetryable)
        assert.strictEqual(chunks, 0)
        if (range === undefined || range.offset + range.length <= 100) yield* reading(100)
      }),
    timeout
  )

  it.effect(
    "read: blob removed meanwhile → all bytes or a failure, never fewer bytes",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const content = Generate.bytes(25, 8 * Blobs.mebibyte)
        yield* Blobs.put(key, content)
        const exit = yield* readAround(key, store.remove(key))
        if (Exit.isSuccess(exit)) Blobs.assertSame(exit.value, content)
        else assert.strictEqual((yield* Effect.flip(exit))._tag, "BlobError")
        yield* Blobs.assertAbsent(key)
      }),
    timeout
  )

  it.effect(
    "read: blob replaced meanwhile → the old bytes or a failure, never a mixture",
    () =>
      Effect.gen(function* () {
        const key = Blobs.freshKey()
        const content = Generate.bytes(26, 8 * Blobs.mebibyte)
        yield* Blobs.put(key, content)
        const exit = yield* readAround(key, Blobs.put(key, Generate.bytes(27, 8 * Blobs.mebibyte)))
        if (Exit.isSuccess(exit)) Blobs.assertSame(exit.value, content)
        else assert.strictEqual((yield* Effect.flip(exit))._tag, "BlobError")
      }),
    timeout
  )

  it.effect(
    "read: reader stops after the first chunk, 50 times → right bytes, and the blob can be removed afterwards",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const content = Generate.bytes(28, 2 * Blobs.mebibyte)
        yield* Blobs.put(key, content)
        for (let turn = 0; turn < 50; turn++) {
          const [chunk] = yield* Stream.runCollect(Stream.take(store.read(key), 1))
          assert.isDefined(chunk)
          Blobs.assertSame(chunk, content.subarray(0, chunk.byteLength))
        }
        yield* store.remove(key)
        yield* Blobs.assertAbsent(key)
      }),
    timeout
  )
}
