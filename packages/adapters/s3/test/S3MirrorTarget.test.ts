import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
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
import { resolveLocalNames } from "./support/LocalNames.ts"
import * as Target from "./support/Target.ts"

// The tests start a cluster. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const mebibyte = 1024 * 1024

requires(CephRgw.missing).describe("S3MirrorTarget on Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("write: fails, rejected or interrupted → its upload is aborted; uploads of other programs remain", () =>
      Effect.gen(function* () {
        const fresh = yield* Target.open
        const { bucket, client, pendingUploads, target } = fresh
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
        assert.sameMembers([...(yield* pendingUploads)], ["large", foreign.Key])
        yield* Fiber.interrupt(writing)
        yield* target.write(object, parts)
        yield* target.describe({ ...object, description: { contentType: "text/plain", metadata: {} } })
        assert.deepStrictEqual(yield* pendingUploads, [foreign.Key])
        yield* Effect.promise(() => client.send(new AbortMultipartUploadCommand({ ...foreign, UploadId })))
      })
    )

    it.effect.each([5 * mebibyte, 5 * mebibyte + 1, 13 * mebibyte + 5])(
      "describe: object of %i bytes → copied in parts of 5 MiB",
      (size) =>
        Effect.gen(function* () {
          const fresh = yield* Target.open
          const bytes = Generate.bytes(2, size)
          yield* Objects.write(fresh, "a/é +b.bin", bytes)
          const description = { contentType: "text/plain", metadata: { "x-note": "copied" } }
          const receipt = yield* fresh.target.describe(Objects.object("a/é +b.bin", bytes, description))
          const found = yield* Objects.assertObject(fresh, "a/é +b.bin", bytes, description)
          assert.isTrue(isUnchanged(receipt, found))
          // The entity tag of an object of parts ends with their number.
          assert.match(receipt.tag, new RegExp(`^[0-9a-f]+-${Math.ceil(size / (5 * mebibyte))}$`))
        })
    )

    it.effect.each(["100% of it", "a%41"])("describe: large object of the name %j → NotFound, unchanged", (name) =>
      Effect.gen(function* () {
        const fresh = yield* Target.open
        const bytes = Generate.bytes(5, 5 * mebibyte + 1)
        yield* Objects.write(fresh, name, bytes)
        const error = yield* Effect.flip(fresh.target.describe(Objects.object(name, bytes)))
        assert.strictEqual(error.reason, "NotFound")
        yield* Objects.assertObject(fresh, name, bytes)
      })
    )

    it.effect("stat, list: the same tag and the same second of the last change", () =>
      Effect.gen(function* () {
        const fresh = yield* Target.open
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

    it.effect("stat, list: object of another program → found", () =>
      Effect.gen(function* () {
        const { bucket, client, target } = yield* Target.open
        const foreign = { Bucket: bucket.bucket, Key: "notes/foreign.txt", Body: "notes!" }
        yield* Effect.promise(() => client.send(new PutObjectCommand(foreign)))
        const object = Option.getOrThrow(yield* target.stat(foreign.Key))
        assert.deepStrictEqual([object.name, object.size], [foreign.Key, 6])
        assert.deepStrictEqual(yield* Objects.listSorted(target), [object])
      })
    )

    it.effect("write: quota reached → Full, for a small object and for parts", () =>
      Effect.gen(function* () {
        const fresh = yield* Target.open
        const gateway = yield* CephRgw.CephRgw
        yield* gateway.setQuota(1)
        yield* Effect.gen(function* () {
          for (const size of [9000, 12 * mebibyte]) {
            const error = yield* Effect.flip(Objects.write(fresh, "a", Generate.bytes(4, size)))
            assert.deepStrictEqual([error.reason, error.operation], ["Full", "write"])
          }
          assert.deepStrictEqual(yield* fresh.pendingUploads, [])
        }).pipe(Effect.ensuring(Effect.orDie(gateway.setQuota(undefined))))
      })
    )

    it.effect("bucket in the host name → found", () =>
      Effect.gen(function* () {
        const { bucket, client } = yield* Target.open
        const location = Target.locationOf(bucket)
        const endpoint = bucket.endpoint.replace("127.0.0.1", "localhost")
        const lookups = yield* resolveLocalNames
        const target = yield* S3MirrorTarget.open(Target.options)({ ...location, endpoint, forcePathStyle: false })
        const fresh = { target, readBack: Target.readBack(client, bucket.bucket) }
        const bytes = Generate.bytes(5, 1000)
        yield* Objects.write(fresh, "a/b", bytes)
        yield* Objects.assertObject(fresh, "a/b", bytes)
        assert.include(lookups, `${bucket.bucket}.localhost`)
      })
    )
  })
)
