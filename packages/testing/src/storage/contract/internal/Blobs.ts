/**
 * Helpers for the tests of the contract suite.
 */
import { assert } from "@effect/vitest"
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { randomInt } from "node:crypto"
import * as Generate from "../../../data/Generate.ts"

export const mebibyte = 1024 * 1024

// A new seed for each run: a store that outlives a run contains the keys of earlier runs.
const seed = randomInt(2 ** 32)
let made = 0

/** Returns an id that no test has used. */
export const freshId = (kind: "ten" | "bkt" | "blb"): string => Generate.id(kind, seed, made++)

/** Returns a key that no test has used, in a new bucket or in the given one. */
export const freshKey = (bucket: Partial<BlobKey.Parts> = {}): string =>
  BlobKey.make({
    tenantId: bucket.tenantId ?? freshId("ten"),
    bucketId: bucket.bucketId ?? freshId("bkt"),
    blobId: bucket.blobId ?? freshId("blb")
  })

/** Reads a stream as one array. */
export const collect = <E, R>(stream: Stream.Stream<Uint8Array, E, R>): Effect.Effect<Uint8Array, E, R> =>
  Effect.map(Stream.runCollect(stream), (chunks) => Buffer.concat(chunks))

/** Reads a blob, or a range of it, as one array. */
export const readAll = (
  key: string,
  range?: BlobStore.ByteRange
): Effect.Effect<Uint8Array, BlobError.BlobError, BlobStore.BlobStore> =>
  Effect.flatMap(BlobStore.BlobStore, (store) => collect(store.read(key, { range })))

/** Puts a content in chunks of these sizes, repeated in turn. */
export const put = (key: string, content: Uint8Array, sizes: ReadonlyArray<number> = [64 * 1024]) =>
  Effect.flatMap(BlobStore.BlobStore, (store) => store.put(key, chunked(content, sizes)))

/** Streams a content in chunks of these sizes, repeated in turn, one chunk for each pull. */
export const chunked = (content: Uint8Array, sizes: ReadonlyArray<number>): Stream.Stream<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for (let offset = 0; offset < content.byteLength;) {
    const size = sizes[chunks.length % sizes.length] ?? content.byteLength
    chunks.push(content.subarray(offset, offset + size))
    offset += size
  }
  return Stream.fromIterable(chunks, { chunkSize: 1 })
}

/** Asserts that two contents are equal, without printing megabytes when they differ. */
export const assertSame = (actual: Uint8Array, expected: Uint8Array): void => {
  assert.strictEqual(actual.byteLength, expected.byteLength)
  assert.isTrue(Buffer.compare(actual, expected) === 0, "the bytes differ")
}

/** Asserts that a blob has exactly this content, by every method of the store. */
export const assertStored = (key: string, content: Uint8Array) =>
  Effect.gen(function* () {
    const store = yield* BlobStore.BlobStore
    assertSame(yield* readAll(key), content)
    assert.deepStrictEqual(yield* store.stat(key), { size: content.byteLength })
    assert.deepStrictEqual(yield* Stream.runCollect(store.list(key)), [{ key, size: content.byteLength }])
  })

/** Asserts that no blob has the key, by every method of the store. */
export const assertAbsent = (key: string) =>
  Effect.gen(function* () {
    const store = yield* BlobStore.BlobStore
    const read = yield* Effect.flip(Stream.runDrain(store.read(key)))
    assert.strictEqual(read.reason, "NotFound")
    const stat = yield* Effect.flip(store.stat(key))
    assert.strictEqual(stat.reason, "NotFound")
    assert.deepStrictEqual(yield* Stream.runCollect(store.list(key)), [])
  })

/** Makes a stream of a content that pauses after its first bytes, until the test releases it. */
export const paused = (content: Uint8Array, firstBytes: number) =>
  Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    const stream = Stream.concat(
      chunked(content.subarray(0, firstBytes), [64 * 1024]),
      Stream.unwrap(
        Deferred.succeed(reached, undefined).pipe(
          Effect.andThen(Deferred.await(release)),
          Effect.as(chunked(content.subarray(firstBytes), [64 * 1024]))
        )
      )
    )
    return { stream, reached: Deferred.await(reached), release: Deferred.succeed(release, undefined) }
  })
