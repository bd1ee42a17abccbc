/**
 * What stands at a real target after rapid changes here, and after strangers' changes there.
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
import * as Mirrored from "./support/Mirrored.ts"

// A cluster is started, which takes a busy machine longer than vitest gives by default.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const { reupload, startWorker, pollUntil, upload } = MirrorHarness

requires(CephRgw.missing).describe("a mirror to Ceph's gateway", () =>
  layer(CephRgw.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect("ends with the last of many contents and headers, each time", () =>
      Effect.gen(function* () {
        const headers = yield* Headers
        const mirrored = yield* Mirrored.scene()
        // Two workers, as of two nodes.
        yield* startWorker()
        const { id } = yield* upload(mirrored.bucket, "file.txt", "the first")
        const file = { ...mirrored.bucket, fileId: id }
        for (let round = 0; round < 24; round++) {
          for (let change = 0; change < 12; change++) {
            yield* reupload(mirrored.bucket, id, `content ${round} ${change}`)
            yield* headers.set(Actor.system, file, { name: "Cache-Control", value: `max-age=${round * 12 + change}` })
            // Now and then a copy begins in between.
            if (change % 5 === round % 5) yield* Effect.sleep(round % 4)
          }
          yield* Mirrored.converge(mirrored)
        }
      }).pipe(Effect.scoped, Effect.provide(Mirrored.services()))
    )

    it.effect("heals what strangers removed and altered, and leaves alone what is theirs", () =>
      Effect.gen(function* () {
        const { client, ref, ...mirrored } = yield* Mirrored.scene()
        const Bucket = mirrored.target.bucket
        const put = (Key: string) => Effect.promise(() => client.send(new PutObjectCommand({ Bucket, Key, Body: "!" })))
        for (const name of ["as it was", "removed", "altered", "described"]) yield* upload(mirrored.bucket, name, name)
        yield* Mirrored.converge({ client, ref, ...mirrored })
        const before = yield* MirrorHarness.expectedObjects(mirrored.bucket)

        const theirs = ["theirs", "their/folder/ü", ".holdfast-check-of-another-deployment"]
        yield* Effect.forEach([...theirs, "altered"], put)
        yield* Effect.promise(() => client.send(new DeleteObjectCommand({ Bucket, Key: "removed" })))
        // S3 tells of a description no more than the second of its last change, and a receipt may be late by two.
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
        const ours = Effect.map(Mirrored.held({ client, ref, ...mirrored }), (all) =>
          all.filter(({ name }) => !theirs.includes(name))
        )
        const right = JSON.stringify(before)
        yield* pollUntil(ours, (all) => JSON.stringify(all) === right)
        assert.includeMembers([...(yield* Mirrored.keys(client, mirrored.target))], theirs)
        const { stats } = yield* MirrorHarness.untilCopied(ref)
        assert.deepInclude(stats, { copied: 4, failed: 0 })
      }).pipe(Effect.scoped, Effect.provide(Mirrored.services()))
    )

    it.effect("copies a file whose name is like that of an object of the check, and does not remove it", () =>
      Effect.gen(function* () {
        const mirrored = yield* Mirrored.scene()
        yield* upload(mirrored.bucket, ".holdfast-check-1", "ours")
        yield* Mirrored.converge(mirrored)
        yield* (yield* Mirrors).update(Actor.system, mirrored.ref, {
          secretAccessKey: mirrored.target.credentials.secretAccessKey
        })
        yield* Mirrored.converge(mirrored)
      }).pipe(Effect.scoped, Effect.provide(Mirrored.services()))
    )
  })
)
