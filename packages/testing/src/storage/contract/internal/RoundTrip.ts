/**
 * The tests that a store returns what was put.
 */
import { assert } from "@effect/vitest"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Generate from "../../../data/Generate.ts"
import * as Blobs from "./Blobs.ts"
import type { Settings, Tester } from "./Settings.ts"

const contents: ReadonlyArray<readonly [name: string, bytes: number, chunks: ReadonlyArray<number>]> = [
  ["no bytes", 0, [1]],
  ["one byte", 1, [1]],
  ["4 KiB in one chunk", 4096, [4096]],
  ["4 KiB byte by byte", 4096, [1]],
  ["64 KiB", 64 * 1024, [16 * 1024]],
  ["64 KiB and one byte", 64 * 1024 + 1, [64 * 1024]],
  ["1 MiB in chunks of 7 and 1000 bytes", Blobs.mebibyte, [7, 1000]],
  ["5 MiB and some in odd chunks", 5 * Blobs.mebibyte + 17, [1, 65_537, 4093, 300_001]],
  ["9 MiB in one chunk", 9 * Blobs.mebibyte, [9 * Blobs.mebibyte]]
]

class Source extends Context.Service<Source, Uint8Array>()("@holdfast/testing/storage/contract/Source") {}

export const register = (it: Tester, { timeout }: Settings): void => {
  it.effect.each(contents)(
    "put and read: %s → the same bytes, with size and SHA-256",
    ([, size, sizes]) =>
      Effect.gen(function* () {
        const key = Blobs.freshKey()
        const content = Generate.bytes(size, size)
        const receipt = yield* Blobs.put(key, content, sizes)
        assert.deepStrictEqual(receipt, { size, sha256: Generate.sha256(content) })
        yield* Blobs.assertStored(key, content)
      }),
    timeout
  )

  it.effect(
    "put: empty chunks → ignored",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const nothing = new Uint8Array(0)
        const receipt = yield* store.put(
          key,
          Stream.make(nothing, Buffer.from("ab"), nothing, Buffer.from("c"), nothing)
        )
        assert.deepStrictEqual(receipt, { size: 3, sha256: Generate.sha256(Buffer.from("abc")) })
        assert.strictEqual(Buffer.from(yield* Blobs.readAll(key)).toString(), "abc")
      }),
    timeout
  )

  it.effect(
    "put: 3000 chunks in one pull → the same bytes",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const chunks = Array.from({ length: 3000 }, (_, index) => Generate.bytes(index, 1 + (index % 1999)))
        const content = Buffer.concat(chunks)
        const receipt = yield* store.put(key, Stream.fromArray(chunks))
        assert.deepStrictEqual(receipt, { size: content.byteLength, sha256: Generate.sha256(content) })
        yield* Blobs.assertStored(key, content)
      }),
    timeout
  )

  it.effect(
    "put: content requires a service → the caller's service",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const content = Generate.bytes(3, 1000)
        yield* store.put(key, Stream.fromEffect(Source)).pipe(Effect.provideService(Source, content))
        yield* Blobs.assertStored(key, content)
      }),
    timeout
  )

  it.effect(
    "put: 50 contents at the same time → each stored",
    () =>
      Effect.gen(function* () {
        const bucket = { tenantId: Blobs.freshId("ten"), bucketId: Blobs.freshId("bkt") }
        const blobs = Array.from({ length: 50 }, (_, index) => ({
          key: Blobs.freshKey(bucket),
          content: Generate.bytes(index, index * 20_000 + 1)
        }))
        const receipts = yield* Effect.forEach(blobs, ({ key, content }) => Blobs.put(key, content, [9973, 32_768]), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(
          receipts,
          blobs.map(({ content }) => ({ size: content.byteLength, sha256: Generate.sha256(content) }))
        )
        yield* Effect.forEach(blobs, ({ key, content }) => Blobs.assertStored(key, content), { concurrency: 8 })
      }),
    timeout
  )

  it.effect(
    "localFile: capability localFiles → a regular file with the bytes, gone after removal; otherwise undefined",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const key = Blobs.freshKey()
        const content = Generate.bytes(4, 100_000)
        yield* Blobs.put(key, content)
        const path = store.localFile(key)
        assert.strictEqual(path !== undefined, store.capabilities.localFiles)
        if (path === undefined) return
        assert.isTrue(Fs.lstatSync(path).isFile())
        Blobs.assertSame(Fs.readFileSync(path), content)
        yield* store.remove(key)
        assert.isFalse(Fs.existsSync(path))
      }),
    timeout
  )

  it.effect(
    "open, if the store has it: ranges → their bytes, also after removal; missing key, or another size → as of read",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        if (store.open === undefined) return
        const key = Blobs.freshKey()
        const content = Generate.bytes(5, 700_000)
        yield* Blobs.put(key, content)
        const opened = yield* store.open(key, content.byteLength)
        for (const [offset, length] of [
          [0, content.byteLength],
          [699_999, 1],
          [123_456, 300_000],
          [77, 0]
        ] as const) {
          const memory = new Uint8Array(length)
          yield* opened.readInto(offset, memory)
          Blobs.assertSame(memory, content.subarray(offset, offset + length))
        }
        const other = yield* Effect.flip(store.open(key, content.byteLength + 1))
        assert.strictEqual(other.reason, "Damaged")
        yield* store.remove(key)
        const memory = new Uint8Array(1000)
        yield* opened.readInto(5000, memory)
        Blobs.assertSame(memory, content.subarray(5000, 6000))
        const missing = yield* Effect.flip(store.open(key, content.byteLength))
        assert.strictEqual(missing.reason, "NotFound")
      }).pipe(Effect.scoped),
    timeout
  )

  it.effect(
    "check: store is ready → success",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        assert.notStrictEqual(store.capabilities.name, "")
        assert.isUndefined(yield* store.check)
      }),
    timeout
  )
}
