import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand
} from "@aws-sdk/client-s3"
import { assert, layer, vi } from "@effect/vitest"
import * as Generate from "@holdfast/testing/data/Generate"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as S3BlobStore from "../src/S3BlobStore.ts"
import * as StaleUploads from "../src/StaleUploads.ts"
import * as Bucket from "./support/Bucket.ts"
import * as Keys from "./support/Keys.ts"

// A cluster is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const mebibyte = 1024 * 1024

/** A store in a bucket of its own, and that bucket's multipart uploads as the service lists them. */
const open = Effect.gen(function* () {
  const options = yield* Bucket.options
  const client = yield* Bucket.client(options)
  const uploads = Effect.promise(() => client.send(new ListMultipartUploadsCommand({ Bucket: options.bucket }))).pipe(
    Effect.map(({ Uploads = [] }) => Uploads.map(({ Key }) => Key))
  )
  return { options, client, uploads, store: yield* S3BlobStore.make(options) }
})

const read = (store: Effect.Success<ReturnType<typeof S3BlobStore.make>>, key: string) =>
  Effect.map(Stream.runCollect(store.read(key)), (chunks) => Buffer.concat(chunks))

requires(CephRgw.missing).describe("S3BlobStore on Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect.each([8, 9, 16, 24, 37])("puts %i MiB and a byte together from parts", (size) =>
      Effect.gen(function* () {
        const { store, uploads } = yield* open
        const content = Generate.bytes(size, size * mebibyte + 1)
        const receipt = yield* store.put(Keys.key(0), Generate.stream(size, content.byteLength, [300_001]))
        assert.deepStrictEqual(receipt, { size: content.byteLength, sha256: Generate.sha256(content) })
        assert.isTrue((yield* read(store, Keys.key(0))).equals(content))
        assert.deepStrictEqual(yield* uploads, [])
      })
    )

    it.effect("puts a content of exactly one part", () =>
      Effect.gen(function* () {
        const { store } = yield* open
        yield* store.put(Keys.key(0), Generate.stream(1, 8 * mebibyte))
        assert.isTrue((yield* read(store, Keys.key(0))).equals(Generate.bytes(1, 8 * mebibyte)))
      })
    )

    it.effect("leaves no upload of parts whose content fails or dies, and keeps what stood there", () =>
      Effect.gen(function* () {
        const { store, uploads } = yield* open
        yield* store.put(Keys.key(0), Generate.stream(2, 1000))
        const parts = Generate.stream(3, 20 * mebibyte)
        const error = yield* Effect.flip(store.put(Keys.key(0), Stream.concat(parts, Stream.fail("cut"))))
        assert.strictEqual(error, "cut")
        assert.deepStrictEqual(yield* uploads, [])
        yield* Effect.exit(store.put(Keys.key(0), Stream.concat(parts, Stream.die(new Error("a bug")))))
        assert.deepStrictEqual(yield* uploads, [])
        assert.deepStrictEqual(yield* store.stat(Keys.key(0)), { size: 1000 })
      })
    )

    it.effect("shows nothing of parts under way, and leaves nothing of them when interrupted", () =>
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

    it.effect("sweeps the uploads that are older than an age, and nobody else's", () =>
      Effect.gen(function* () {
        const { client, options, store, uploads } = yield* open
        const begin = (Key: string) =>
          Effect.promise(async () => {
            const target = { Bucket: options.bucket, Key }
            const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
            await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: "half" }))
            return { ...target, UploadId }
          })
        yield* Effect.forEach([Keys.key(0), Keys.key(1)], begin)
        const foreign = yield* begin("another program's")
        yield* store.put(Keys.key(2), Generate.stream(5, 10))
        assert.strictEqual(yield* StaleUploads.sweep(options, "1 hour"), 0)
        assert.strictEqual((yield* uploads).length, 3)
        assert.strictEqual(yield* StaleUploads.sweep(options, 0), 2)
        assert.deepStrictEqual(yield* uploads, [foreign.Key])
        assert.deepStrictEqual(yield* store.stat(Keys.key(2)), { size: 10 })
        yield* Effect.promise(() => client.send(new AbortMultipartUploadCommand(foreign)))
      })
    )

    it.effect("keeps to its prefix, and passes over what is not its own", () =>
      Effect.gen(function* () {
        const { client, options, store } = yield* open
        const inner = yield* S3BlobStore.make({ ...options, prefix: "files/of holdfast/" })
        yield* inner.put(Keys.key(0), Generate.stream(6, 10))
        const foreign = { Bucket: options.bucket, Key: "files/of holdfast/notes.txt", Body: "an operator's" }
        yield* Effect.promise(() => client.send(new PutObjectCommand(foreign)))
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

    it.effect("says that a quota is reached, for a small content and for parts", () =>
      Effect.gen(function* () {
        const { store, uploads } = yield* open
        const server = yield* CephRgw.CephRgw
        yield* server.setQuota(1)
        yield* Effect.gen(function* () {
          assert.strictEqual(
            (yield* Effect.flip(store.put(Keys.key(0), Generate.stream(7, 9000)))).reason,
            "StorageFull"
          )
          const error = yield* Effect.flip(store.put(Keys.key(0), Generate.stream(8, 20 * mebibyte)))
          assert.strictEqual(error.reason, "StorageFull")
          assert.deepStrictEqual(yield* uploads, [])
        }).pipe(Effect.ensuring(Effect.orDie(server.setQuota(undefined))))
      })
    )

    it.effect("tells a wrong configuration as such", () =>
      Effect.gen(function* () {
        const { options } = yield* open
        const stranger = { ...options.credentials, secretAccessKey: Redacted.make("another") }
        for (const wrong of [
          { ...options, bucket: "nobodys" },
          { ...options, credentials: stranger }
        ]) {
          const store = yield* S3BlobStore.make(wrong)
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
      })
    )

    // The last one: a gateway that was killed holds up changes of buckets for half a minute.
    it.effect("fails a read that the server dies under, is unavailable while it is down, and no longer", () =>
      Effect.gen(function* () {
        const { store } = yield* open
        const server = yield* CephRgw.CephRgw
        yield* store.put(Keys.key(0), Generate.stream(10, 10))
        yield* store.put(Keys.key(1), Generate.stream(11, 40 * mebibyte))
        let count = 0
        const cut = yield* store.read(Keys.key(1)).pipe(
          Stream.runForEach((chunk) => {
            const isFirst = count === 0
            count += chunk.byteLength
            return isFirst ? server.stop : Effect.void
          }),
          Effect.flip
        )
        assert.strictEqual(cut.reason, "Unavailable")
        assert.isBelow(count, 40 * mebibyte)
        const failures = yield* Effect.all([
          Effect.flip(store.put(Keys.key(2), Generate.stream(12, 10))),
          Effect.flip(store.put(Keys.key(2), Generate.stream(12, 9 * mebibyte))),
          Effect.flip(Stream.runDrain(store.read(Keys.key(0)))),
          Effect.flip(store.stat(Keys.key(0))),
          Effect.flip(store.remove(Keys.key(0))),
          Effect.flip(Stream.runDrain(store.list(""))),
          Effect.flip(store.check)
        ])
        assert.deepStrictEqual(
          failures.map(({ operation, reason }) => [operation, reason]),
          ["put", "put", "read", "stat", "remove", "list", "check"].map((operation) => [operation, "Unavailable"])
        )
        yield* server.start
        yield* store.check
        assert.deepStrictEqual(yield* store.stat(Keys.key(0)), { size: 10 })
        assert.deepStrictEqual((yield* Stream.runCollect(store.list(""))).length, 2)
      })
    )
  })
)
