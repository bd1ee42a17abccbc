import { assert, layer, vi } from "@effect/vitest"
import * as BlobKeys from "@holdfast/testing/data/BlobKeys"
import * as Generate from "@holdfast/testing/data/Generate"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as GcsBlobStore from "../src/GcsBlobStore.ts"
import * as Store from "./support/Store.ts"

// Some tests make many requests. On a busy machine they take longer than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000 })

const mebibyte = 1024 * 1024

layer(FakeGcs.layer, { excludeTestServices: true })("GcsBlobStore on a fake of the service", (it) => {
  it.effect.each([
    [1, 256],
    [300 * 1024, 256],
    [512 * 1024, 512]
  ] as const)("chunkBytes %i → chunks of %i KiB", ([chunkBytes, kibibytes]) =>
    Effect.gen(function* () {
      const { fake, options } = yield* Store.open
      const store = yield* GcsBlobStore.make({ ...options, chunkBytes })
      const size = 3 * kibibytes * 1024
      yield* fake.takeRequests
      yield* store.put(BlobKeys.key(0), Generate.stream(1, size))
      const puts = (yield* fake.takeRequests).filter(({ method }) => method === "PUT")
      assert.deepStrictEqual(
        puts.map(({ headers }) => headers["content-range"]),
        [0, 1, 2].map((index) => {
          const [first, end] = [index * (size / 3), (index + 1) * (size / 3)]
          return `bytes ${first}-${end - 1}/${index === 2 ? size : "*"}`
        })
      )
    })
  )

  it.effect("put: MD5 with a small content and with the last chunk; damaged bytes → Unavailable, nothing visible", () =>
    Effect.gen(function* () {
      const { fake, store } = yield* Store.open
      yield* fake.takeRequests
      yield* store.put(BlobKeys.key(0), Generate.stream(1, 9 * mebibyte))
      const hashes = (yield* fake.takeRequests).flatMap(({ headers, method }) =>
        method === "PUT" ? [headers["x-goog-hash"]] : []
      )
      assert.isUndefined(hashes[0])
      assert.match(String(hashes[1]), /^md5=[\w+/]{22}==$/)
      for (const [key, size] of [
        [BlobKeys.key(1), 1000],
        [BlobKeys.key(2), 9 * mebibyte]
      ] as const) {
        yield* fake.injectFault({ fault: { kind: "damage" }, match: /^(POST .*multipart|PUT)/ })
        const error = yield* Effect.flip(store.put(key, Generate.stream(2, size)))
        assert.strictEqual(error.reason, "Unavailable")
        assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "NotFound")
      }
    })
  )

  it.effect("concurrent requests → one token; token revoked, also during an upload → another token", () =>
    Effect.gen(function* () {
      const { fake, store } = yield* Store.open
      yield* fake.takeRequests
      const grants = Effect.map(fake.takeRequests, (requests) => requests.filter(({ url }) => url === "/token").length)
      const keys = Array.from({ length: 8 }, (_, index) => BlobKeys.key(index))
      yield* Effect.forEach(keys, (key) => store.put(key, Generate.stream(1, 10)), { concurrency: "unbounded" })
      assert.strictEqual(yield* grants, 1)
      yield* fake.revokeTokens
      assert.deepStrictEqual(yield* store.stat(BlobKeys.key(0)), { size: 10 })
      assert.strictEqual(yield* grants, 1)
      const revoking = Stream.fromEffect(fake.revokeTokens).pipe(Stream.drain)
      const content = Stream.concat(Generate.stream(2, 17 * mebibyte), revoking)
      assert.strictEqual((yield* store.put(BlobKeys.key(0), content)).size, 17 * mebibyte)
    })
  )

  it.effect.each(["gcs.example", "ftp://gcs.example", "https://user:secret@gcs.example"])(
    "open: endpoint %s → Internal",
    (endpoint) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(GcsBlobStore.make({ ...(yield* Store.makeBucket), endpoint }))
        assert.deepStrictEqual([error.operation, error.reason], ["open", "Internal"])
      })
  )
})
