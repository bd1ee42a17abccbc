/**
 * The objects of a target after rapid changes of the bucket, and after other programs' changes of the target.
 */
import { CopyObjectCommand, DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { assert, layer, vi } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { Headers } from "@holdfast/core/headers/Headers"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import { requires } from "@holdfast/testing/Requires"
import * as CephRgw from "@holdfast/testing/servers/CephRgw"
import * as Effect from "effect/Effect"
import * as MirroredBucket from "./support/MirroredBucket.ts"

// The tests start a cluster. On a busy machine that takes longer than vitest's default timeout.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const { pollUntil, reupload, startWorker, upload } = MirrorHarness

requires(CephRgw.missing).describe("mirror to Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("content and headers changed 12 times in each of 24 rounds → target has the last ones", () =>
      Effect.gen(function* () {
        const headers = yield* Headers
        const mirrored = yield* MirroredBucket.open()
        // A second worker, as of a second node.
        yield* startWorker()
        const { id } = yield* upload(mirrored.bucket, "file.txt", "the first")
        const file = { ...mirrored.bucket, fileId: id }
        for (let round = 0; round < 24; round++) {
          for (let change = 0; change < 12; change++) {
            yield* reupload(mirrored.bucket, id, `content ${round} ${change}`)
            yield* headers.set(Actor.system, file, { name: "Cache-Control", value: `max-age=${round * 12 + change}` })
            // Sometimes a copy begins between two changes.
            if (change % 5 === round % 5) yield* Effect.sleep(round % 4)
          }
          yield* MirroredBucket.assertConverges(mirrored)
        }
      }).pipe(Effect.scoped, Effect.provide(MirroredBucket.services()))
    )

    it.effect(
      "sync: objects removed, overwritten or described anew by others → copied again; foreign objects unchanged",
      () =>
        Effect.gen(function* () {
          const { client, ref, ...mirrored } = yield* MirroredBucket.open()
          const Bucket = mirrored.target.bucket
          const put = (Key: string) =>
            Effect.promise(() => client.send(new PutObjectCommand({ Bucket, Key, Body: "!" })))
          for (const name of ["unchanged", "removed", "altered", "described"])
            yield* upload(mirrored.bucket, name, name)
          yield* MirroredBucket.assertConverges({ client, ref, ...mirrored })
          const before = yield* MirrorHarness.expectedObjects(mirrored.bucket)

          const foreign = ["foreign", "foreign/folder/ü", ".holdfast-check-of-another-deployment"]
          yield* Effect.forEach([...foreign, "altered"], put)
          yield* Effect.promise(() => client.send(new DeleteObjectCommand({ Bucket, Key: "removed" })))
          // S3 reports only the second of the last change, and a receipt may be up to two seconds late.
          const second = Math.floor(Date.now() / 1000)
          yield* pollUntil(
            Effect.sync(() => Math.floor(Date.now() / 1000)),
            (now) => now > second + 2
          )
          const another = { ContentType: "text/html", MetadataDirective: "REPLACE" } as const
          yield* Effect.promise(() =>
            client.send(
              new CopyObjectCommand({ Bucket, Key: "described", CopySource: `${Bucket}/described`, ...another })
            )
          )

          yield* (yield* Mirrors).sync(Actor.system, ref)
          const own = Effect.map(MirroredBucket.readObjects({ client, ref, ...mirrored }), (all) =>
            all.filter(({ name }) => !foreign.includes(name))
          )
          const expected = JSON.stringify(before)
          yield* pollUntil(own, (all) => JSON.stringify(all) === expected)
          assert.includeMembers([...(yield* MirroredBucket.listKeys(client, mirrored.target))], foreign)
          const { stats } = yield* MirrorHarness.untilCopied(ref)
          assert.deepInclude(stats, { copied: 4, failed: 0 })
        }).pipe(Effect.scoped, Effect.provide(MirroredBucket.services()))
    )

    it.effect("file whose name resembles that of a check object → copied, and not removed by a check", () =>
      Effect.gen(function* () {
        const mirrored = yield* MirroredBucket.open()
        yield* upload(mirrored.bucket, ".holdfast-check-1", "content")
        yield* MirroredBucket.assertConverges(mirrored)
        yield* (yield* Mirrors).update(Actor.system, mirrored.ref, {
          secretAccessKey: mirrored.target.credentials.secretAccessKey
        })
        yield* MirroredBucket.assertConverges(mirrored)
      }).pipe(Effect.scoped, Effect.provide(MirroredBucket.services()))
    )
  })
)
