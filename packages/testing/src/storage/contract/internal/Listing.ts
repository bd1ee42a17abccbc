/**
 * The tests of listing by prefix.
 */
import { assert } from "@effect/vitest"
import * as BlobStore from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Generate from "../../../data/Generate.ts"
import * as Blobs from "./Blobs.ts"
import type { Settings, Tester } from "./Settings.ts"

const toEntries = (entries: ReadonlyArray<BlobStore.BlobEntry>): ReadonlyArray<readonly [string, number]> =>
  entries.map(({ key, size }) => [key, size] as const).toSorted(([a], [b]) => (a < b ? -1 : 1))

const listed = (prefix: string) =>
  Effect.flatMap(BlobStore.BlobStore, (store) => Effect.map(Stream.runCollect(store.list(prefix)), toEntries))

export const register = (it: Tester, { timeout }: Settings): void => {
  it.effect(
    "list: prefix of a tenant, a bucket, a key, part of a key, or none → exactly the matching blobs",
    () =>
      Effect.gen(function* () {
        const [tenantId, other] = [Blobs.freshId("ten"), Blobs.freshId("ten")]
        const buckets = [Blobs.freshId("bkt"), Blobs.freshId("bkt")] as const
        const put = (tenantId: string, bucketId: string, count: number) =>
          Effect.forEach(
            Array.from({ length: count }, (_, index) => index),
            (size) => {
              const key = Blobs.freshKey({ tenantId, bucketId })
              return Effect.as(Blobs.put(key, Generate.bytes(40, size)), { key, size })
            },
            { concurrency: 4 }
          )
        const first = yield* put(tenantId, buckets[0], 20)
        const second = yield* put(tenantId, buckets[1], 5)
        const third = yield* put(other, buckets[0], 3)

        assert.deepStrictEqual(yield* listed(`${tenantId}/`), toEntries([...first, ...second]))
        assert.deepStrictEqual(yield* listed(tenantId), toEntries([...first, ...second]))
        assert.deepStrictEqual(yield* listed(`${tenantId}/${buckets[0]}/`), toEntries(first))
        assert.deepStrictEqual(yield* listed(`${tenantId}/${buckets[1]}`), toEntries(second))
        assert.deepStrictEqual(yield* listed(`${other}/`), toEntries(third))
        for (const { key, size } of third) {
          assert.deepStrictEqual(yield* listed(key), [[key, size]])
          const part = key.slice(0, -3)
          assert.deepStrictEqual(yield* listed(part), toEntries(third.filter((entry) => entry.key.startsWith(part))))
        }
        const everything = new Map(yield* listed(""))
        for (const { key, size } of [...first, ...second, ...third]) assert.strictEqual(everything.get(key), size)
      }),
    timeout
  )

  it.effect(
    "list: prefix that no key has → nothing",
    () =>
      Effect.gen(function* () {
        const key = Blobs.freshKey()
        yield* Blobs.put(key, Generate.bytes(41, 10))
        const [tenantId, bucketId] = key.split("/")
        const prefixes = [
          `${Blobs.freshId("ten")}/`,
          `${tenantId}/${Blobs.freshId("bkt")}/`,
          `${tenantId}/${bucketId}/${Blobs.freshId("blb")}`,
          `${key}/`,
          `${key}0`,
          "/",
          "../",
          `${tenantId}/../`,
          "tmp/"
        ]
        for (const prefix of prefixes) assert.deepStrictEqual(yield* listed(prefix), [], prefix)
      }),
    timeout
  )

  it.effect(
    "list: blobs that are being put or were removed → not listed",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const bucket = { tenantId: Blobs.freshId("ten"), bucketId: Blobs.freshId("bkt") }
        const prefix = `${bucket.tenantId}/${bucket.bucketId}/`
        const [pending, removed, stored] = [Blobs.freshKey(bucket), Blobs.freshKey(bucket), Blobs.freshKey(bucket)]
        const whole = Generate.bytes(42, 2 * Blobs.mebibyte)
        const content = yield* Blobs.paused(whole, Blobs.mebibyte)
        yield* Blobs.put(stored, Generate.bytes(43, 10))
        yield* Blobs.put(removed, Generate.bytes(43, 20))
        yield* store.remove(removed)
        const putting = yield* Effect.forkChild(store.put(pending, content.stream))
        yield* content.reached
        assert.deepStrictEqual(yield* listed(prefix), [[stored, 10]])
        yield* content.release
        yield* Fiber.join(putting)
        assert.deepStrictEqual(
          yield* listed(prefix),
          toEntries([
            { key: stored, size: 10 },
            { key: pending, size: whole.byteLength }
          ])
        )
      }),
    timeout
  )

  it.effect(
    "list: consumer stops early, then lists again → every blob from the beginning",
    () =>
      Effect.gen(function* () {
        const store = yield* BlobStore.BlobStore
        const bucket = { tenantId: Blobs.freshId("ten"), bucketId: Blobs.freshId("bkt") }
        const keys = Array.from({ length: 12 }, () => Blobs.freshKey(bucket))
        yield* Effect.forEach(keys, (key) => Blobs.put(key, Generate.bytes(44, 1)), { concurrency: 4 })
        const list = store.list(`${bucket.tenantId}/`)
        for (let turn = 0; turn < 20; turn++) {
          const some = yield* Stream.runCollect(Stream.take(list, 3))
          assert.strictEqual(new Set(some.map(({ key }) => key)).size, 3)
        }
        assert.strictEqual((yield* Stream.runCollect(list)).length, keys.length)
      }),
    timeout
  )
}
