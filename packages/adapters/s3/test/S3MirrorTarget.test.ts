import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand
} from "@aws-sdk/client-s3"
import { assert, layer, vi } from "@effect/vitest"
import { isUnchanged } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Generate from "@holdfast/testing/data/Generate"
import * as Objects from "@holdfast/testing/mirrors/contract/Objects"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as S3MirrorTarget from "../src/S3MirrorTarget.ts"
import { localNames } from "./support/LocalNames.ts"
import * as Mirror from "./support/Mirror.ts"

// A cluster is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const mebibyte = 1024 * 1024

/** A target in a bucket of its own, and that bucket's multipart uploads as the service lists them. */
const open = Effect.map(Mirror.fresh, (fresh) => ({
  ...fresh,
  uploads: Effect.promise(() =>
    fresh.client.send(new ListMultipartUploadsCommand({ Bucket: fresh.bucket.bucket }))
  ).pipe(Effect.map(({ Uploads = [] }) => Uploads.map(({ Key }) => Key)))
}))

requires(CephRgw.missing).describe("S3MirrorTarget on Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("leaves no parts of its own behind, and those of other programs alone", () =>
      Effect.gen(function* () {
        const fresh = yield* open
        const { bucket, client, target, uploads } = fresh
        const foreign = { Bucket: bucket.bucket, Key: "another program's" }
        const { UploadId } = yield* Effect.promise(() => client.send(new CreateMultipartUploadCommand(foreign)))
        const bytes = Generate.bytes(1, 12 * mebibyte)
        const object = Objects.object("large", bytes)
        const parts = Generate.stream(1, 12 * mebibyte)
        assert.strictEqual(yield* Effect.flip(target.write(object, Stream.concat(parts, Stream.fail("cut")))), "cut")
        yield* Effect.flip(target.write({ ...object, sha256: Generate.sha256(Uint8Array.of()) }, parts))
        const reached = yield* Deferred.make<void>()
        const waiting = Stream.fromEffect(Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
        const writing = yield* Effect.forkChild(target.write(object, Stream.concat(parts, waiting)))
        yield* Deferred.await(reached)
        assert.sameMembers([...(yield* uploads)], ["large", foreign.Key])
        yield* Fiber.interrupt(writing)
        yield* target.write(object, parts)
        yield* target.describe({ ...object, description: { contentType: "text/plain", metadata: {} } })
        assert.deepStrictEqual(yield* uploads, [foreign.Key])
        yield* Effect.promise(() => client.send(new AbortMultipartUploadCommand({ ...foreign, UploadId })))
      })
    )

    it.effect.each([5 * mebibyte, 5 * mebibyte + 1, 13 * mebibyte + 5])(
      "copies %i bytes onto themselves in as many parts as that takes",
      (size) =>
        Effect.gen(function* () {
          const fresh = yield* open
          const bytes = Generate.bytes(2, size)
          yield* Objects.write(fresh, "a/é +b.bin", bytes)
          const description = { contentType: "text/plain", metadata: { "x-note": "copied" } }
          const receipt = yield* fresh.target.describe(Objects.object("a/é +b.bin", bytes, description))
          const found = yield* Objects.assertObject(fresh, "a/é +b.bin", bytes, description)
          assert.isTrue(isUnchanged(receipt, found))
          // The entity tag of an object from parts ends in their number.
          assert.match(receipt.tag, new RegExp(`^[0-9a-f]+-${Math.ceil(size / (5 * mebibyte))}$`))
        })
    )

    it.effect.each(["100% of it", "a%41"])("has a large object of the name %j written anew instead", (name) =>
      Effect.gen(function* () {
        const fresh = yield* open
        const bytes = Generate.bytes(5, 5 * mebibyte + 1)
        yield* Objects.write(fresh, name, bytes)
        const error = yield* Effect.flip(fresh.target.describe(Objects.object(name, bytes)))
        assert.strictEqual(error.reason, "NotFound")
        yield* Objects.assertObject(fresh, name, bytes)
      })
    )

    it.effect("tells the second of the last change, which a HEAD and a listing tell alike", () =>
      Effect.gen(function* () {
        const fresh = yield* open
        const receipt = yield* Objects.write(fresh, "a", Generate.bytes(3, 10))
        const head = yield* Effect.promise(() =>
          fresh.client.send(new HeadObjectCommand({ Bucket: fresh.bucket.bucket, Key: "a" }))
        )
        const second = (head.LastModified?.getTime() ?? 0) / 1000
        const found = Option.getOrThrow(yield* fresh.target.stat("a"))
        assert.deepStrictEqual(found, { name: "a", size: 10, tag: receipt.tag, lastModified: second })
        assert.strictEqual(found.tag, head.ETag?.replaceAll('"', ""))
        assert.deepStrictEqual(yield* Objects.listSorted(fresh.target), [found])
        assert.isAtLeast(receipt.lastModified ?? 0, second)
      })
    )

    it.effect("sees what others put there", () =>
      Effect.gen(function* () {
        const { bucket, client, target } = yield* open
        const foreign = { Bucket: bucket.bucket, Key: "notes/theirs.txt", Body: "theirs" }
        yield* Effect.promise(() => client.send(new PutObjectCommand(foreign)))
        const object = Option.getOrThrow(yield* target.stat(foreign.Key))
        assert.deepStrictEqual([object.name, object.size], [foreign.Key, 6])
        assert.deepStrictEqual(yield* Objects.listSorted(target), [object])
      })
    )

    it.effect("says that a quota is reached, for a small object and for parts", () =>
      Effect.gen(function* () {
        const fresh = yield* open
        const server = yield* CephRgw.CephRgw
        yield* server.setQuota(1)
        yield* Effect.gen(function* () {
          for (const size of [9000, 12 * mebibyte]) {
            const error = yield* Effect.flip(Objects.write(fresh, "a", Generate.bytes(4, size)))
            assert.deepStrictEqual([error.reason, error.operation], ["Full", "write"])
          }
          assert.deepStrictEqual(yield* fresh.uploads, [])
        }).pipe(Effect.ensuring(Effect.orDie(server.setQuota(undefined))))
      })
    )

    it.effect("finds the bucket by the host's name", () =>
      Effect.gen(function* () {
        const { bucket, client } = yield* open
        const location = Mirror.location(bucket)
        const endpoint = bucket.endpoint.replace("127.0.0.1", "localhost")
        const asked = yield* localNames
        const target = yield* S3MirrorTarget.open(Mirror.options)({ ...location, endpoint, forcePathStyle: false })
        const fresh = { target, readBack: Mirror.readBack(client, bucket.bucket) }
        const bytes = Generate.bytes(5, 1000)
        yield* Objects.write(fresh, "a/b", bytes)
        yield* Objects.assertObject(fresh, "a/b", bytes)
        assert.include(asked, `${bucket.bucket}.localhost`)
      })
    )
  })
)
