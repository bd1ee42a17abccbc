import { assert, layer, vi } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import * as FakeGcs from "@holdfast/testing/servers/gcs/FakeGcs"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as GcsBlobStore from "../src/GcsBlobStore.ts"
import * as Bucket from "./support/Bucket.ts"
import * as Keys from "./support/Keys.ts"

// Many requests, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const mebibyte = 1024 * 1024

/** A store in a bucket of its own, and the uploads that are open there. */
const open = Effect.gen(function* () {
  const options = yield* Bucket.options
  const fake = yield* FakeGcs.FakeGcs
  const store = yield* GcsBlobStore.make(options)
  return { options, fake, store, uploads: fake.pendingUploads(options.bucket) }
})

const read = (store: Effect.Success<ReturnType<typeof GcsBlobStore.make>>, key: string) =>
  Effect.map(Stream.runCollect(store.read(key)), (chunks) => Buffer.concat(chunks))

layer(FakeGcs.layer, { excludeTestServices: true })("GcsBlobStore on a fake of the service", (it) => {
  it.effect.each([8, 9, 16, 24])("sends %i MiB and a byte in pieces", (size) =>
    Effect.gen(function* () {
      const { store, uploads } = yield* open
      const content = Generate.bytes(size, size * mebibyte + 1)
      const receipt = yield* store.put(Keys.key(0), Generate.stream(size, content.byteLength, [300_001]))
      assert.deepStrictEqual(receipt, { size: content.byteLength, sha256: Generate.sha256(content) })
      assert.isTrue((yield* read(store, Keys.key(0))).equals(content))
      assert.deepStrictEqual(yield* uploads, [])
    })
  )

  it.effect.each([
    [1, 256],
    [300 * 1024, 256],
    [512 * 1024, 512]
  ] as const)("takes %i bytes of a piece for %i KiB", ([chunkBytes, kibibytes]) =>
    Effect.gen(function* () {
      const { fake, options } = yield* open
      const store = yield* GcsBlobStore.make({ ...options, chunkBytes })
      const size = 3 * kibibytes * 1024
      yield* fake.takeRequests
      yield* store.put(Keys.key(0), Generate.stream(1, size))
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

  it.effect("sends the MD5 with a small content and with the last piece of a large one", () =>
    Effect.gen(function* () {
      const { fake, store } = yield* open
      yield* fake.takeRequests
      yield* store.put(Keys.key(0), Generate.stream(1, 9 * mebibyte))
      const hashes = (yield* fake.takeRequests).flatMap(({ headers, method }) =>
        method === "PUT" ? [headers["x-goog-hash"]] : []
      )
      assert.isUndefined(hashes[0])
      assert.match(String(hashes[1]), /^md5=[\w+/]{22}==$/)
      for (const [key, size] of [
        [Keys.key(1), 1000],
        [Keys.key(2), 9 * mebibyte]
      ] as const) {
        yield* fake.injectFault({ fault: { kind: "damage" }, match: /^(POST .*multipart|PUT)/ })
        const error = yield* Effect.flip(store.put(key, Generate.stream(2, size)))
        assert.strictEqual(error.reason, "Unavailable")
        assert.strictEqual((yield* Effect.flip(store.stat(key))).reason, "NotFound")
      }
    })
  )

  it.effect("leaves no upload whose content fails or dies, and keeps what stood there", () =>
    Effect.gen(function* () {
      const { store, uploads } = yield* open
      yield* store.put(Keys.key(0), Generate.stream(2, 1000))
      const pieces = Generate.stream(3, 20 * mebibyte)
      const error = yield* Effect.flip(store.put(Keys.key(0), Stream.concat(pieces, Stream.fail("cut"))))
      assert.strictEqual(error, "cut")
      assert.deepStrictEqual(yield* uploads, [])
      yield* Effect.exit(store.put(Keys.key(0), Stream.concat(pieces, Stream.die(new Error("a bug")))))
      assert.deepStrictEqual(yield* uploads, [])
      assert.deepStrictEqual(yield* store.stat(Keys.key(0)), { size: 1000 })
    })
  )

  it.effect("shows nothing of an upload under way, and leaves nothing of it when interrupted", () =>
    Effect.gen(function* () {
      const { store, uploads } = yield* open
      const reached = yield* Deferred.make<void>()
      const waiting = Stream.fromEffect(Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
      const putting = yield* Effect.forkChild(
        store.put(Keys.key(0), Stream.concat(Generate.stream(4, 20 * mebibyte), waiting))
      )
      yield* Deferred.await(reached)
      assert.deepStrictEqual(yield* uploads, [Keys.key(0)])
      assert.strictEqual((yield* Effect.flip(store.stat(Keys.key(0)))).reason, "NotFound")
      assert.deepStrictEqual(yield* Stream.runCollect(store.list("")), [])
      yield* Fiber.interrupt(putting)
      assert.deepStrictEqual(yield* uploads, [])
      assert.strictEqual((yield* Effect.flip(store.stat(Keys.key(0)))).reason, "NotFound")
    })
  )

  it.effect("keeps to its prefix, and passes over what is not its own", () =>
    Effect.gen(function* () {
      const { fake, options, store } = yield* open
      const inner = yield* GcsBlobStore.make({ ...options, prefix: "files/of holdfast+(1)/" })
      yield* inner.put(Keys.key(0), Generate.stream(6, 10))
      assert.isDefined(yield* fake.findObject(options.bucket, `files/of holdfast+(1)/${Keys.key(0)}`))
      const outer = yield* GcsBlobStore.make({ ...options, prefix: `files/of holdfast+(1)/notes/` })
      yield* outer.put(Keys.key(1), Generate.stream(6, 10))
      assert.deepStrictEqual(yield* Stream.runCollect(inner.list("")), [{ key: Keys.key(0), size: 10 }])
      assert.deepStrictEqual(yield* Stream.runCollect(store.list("")), [])
      assert.strictEqual((yield* Effect.flip(store.stat(Keys.key(0)))).reason, "NotFound")
      yield* store.remove(Keys.key(0))
      assert.deepStrictEqual(yield* inner.stat(Keys.key(0)), { size: 10 })
    })
  )

  it.effect("lists more than one page", () =>
    Effect.gen(function* () {
      const { store } = yield* open
      const keys = Array.from({ length: 1005 }, (_, index) => Keys.key(index))
      yield* Effect.forEach(keys, (key) => store.put(key, Stream.empty), { concurrency: 32, discard: true })
      const listed = yield* Stream.runCollect(store.list(""))
      assert.deepStrictEqual(listed.map(({ key }) => key).toSorted(), keys.toSorted())
    })
  )

  it.effect("asks for a token once, and for another one when it is not taken any more", () =>
    Effect.gen(function* () {
      const { fake, store } = yield* open
      yield* fake.takeRequests
      const grants = Effect.map(fake.takeRequests, (received) => received.filter(({ url }) => url === "/token").length)
      const keys = Array.from({ length: 8 }, (_, index) => Keys.key(index))
      yield* Effect.forEach(keys, (key) => store.put(key, Generate.stream(1, 10)), { concurrency: "unbounded" })
      assert.strictEqual(yield* grants, 1)
      yield* fake.revokeTokens
      assert.deepStrictEqual(yield* store.stat(Keys.key(0)), { size: 10 })
      assert.strictEqual(yield* grants, 1)
      const revoking = Stream.fromEffect(fake.revokeTokens).pipe(Stream.drain)
      const content = Stream.concat(Generate.stream(2, 17 * mebibyte), revoking)
      assert.strictEqual((yield* store.put(Keys.key(0), content)).size, 17 * mebibyte)
    })
  )

  it.effect("tells a wrong configuration as such", () =>
    Effect.gen(function* () {
      const { fake, options } = yield* open
      for (const wrong of [
        { ...options, bucket: "nobodys" },
        { ...options, credentials: fake.unprivilegedCredentials }
      ]) {
        const store = yield* GcsBlobStore.make(wrong)
        const failures = yield* Effect.all([
          Effect.flip(store.put(Keys.key(0), Generate.stream(9, 10))),
          Effect.flip(Stream.runDrain(store.read(Keys.key(0)))),
          Effect.flip(Stream.runDrain(store.list(""))),
          Effect.flip(store.check)
        ])
        assert.deepStrictEqual(
          failures.map(({ operation, reason }) => [operation, reason]),
          ["put", "read", "list", "check"].map((operation) => [operation, "Internal"])
        )
      }
      for (const endpoint of ["gcs.example", "ftp://gcs.example", "https://user:secret@gcs.example"]) {
        const error = yield* Effect.flip(GcsBlobStore.make({ ...options, endpoint }))
        assert.deepStrictEqual([error.operation, error.reason], ["open", "Internal"])
      }
    })
  )

  it.effect("fails a read that the server dies under, is unavailable while it is down, and no longer", () =>
    Effect.gen(function* () {
      const { fake, store } = yield* open
      yield* store.put(Keys.key(0), Generate.stream(10, 10))
      yield* store.put(Keys.key(1), Generate.stream(11, 40 * mebibyte))
      let count = 0
      const cut = yield* store.read(Keys.key(1)).pipe(
        Stream.runForEach((chunk) => {
          const isFirst = count === 0
          count += chunk.byteLength
          return isFirst ? fake.stop : Effect.void
        }),
        Effect.flip
      )
      assert.strictEqual(cut.reason, "Unavailable")
      assert.isBelow(count, 40 * mebibyte)
      const failures = yield* Effect.all(
        [
          Effect.flip(store.put(Keys.key(2), Generate.stream(12, 10))),
          Effect.flip(store.put(Keys.key(2), Generate.stream(12, 9 * mebibyte))),
          Effect.flip(Stream.runDrain(store.read(Keys.key(0)))),
          Effect.flip(store.stat(Keys.key(0))),
          Effect.flip(store.remove(Keys.key(0))),
          Effect.flip(Stream.runDrain(store.list(""))),
          Effect.flip(store.check)
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        failures.map(({ operation, reason }) => [operation, reason]),
        ["put", "put", "read", "stat", "remove", "list", "check"].map((operation) => [operation, "Unavailable"])
      )
      yield* fake.start
      yield* store.check
      assert.deepStrictEqual(yield* store.stat(Keys.key(0)), { size: 10 })
      assert.deepStrictEqual((yield* Stream.runCollect(store.list(""))).length, 2)
    })
  )
})
