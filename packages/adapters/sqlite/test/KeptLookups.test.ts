import { assert, describe, it } from "@effect/vitest"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqliteMetadata from "../src/SqliteMetadata.ts"
import * as Temporary from "./support/Temporary.ts"

/** A client with the database open, as each process has. */
const openClient = (file: string) => Layer.build(Layer.fresh(SqliteMetadata.layer({ file })))

const presentation = {
  format: "hls",
  duration: 4,
  hasVideo: true,
  hasAudio: true,
  renditions: [{ name: "720p", width: 1280, height: 720, frameRate: 25, bitrate: 2_600_000 }]
} as const

describe("segments that were found before", () => {
  it.live("conversion removed, content replaced by the same or another client → not found any more", () =>
    Effect.gen(function* () {
      const file = yield* Temporary.file
      const [own, other] = [yield* openClient(file), yield* openClient(file)]
      const bucket = yield* Effect.provideContext(Fixtures.bucket(), own)
      const foreign = yield* Effect.provideContext(Fixtures.bucket(), own)
      const conversions = Context.get(own, ConversionRepository)

      for (const client of [own, other]) {
        const stored = yield* Effect.provideContext(Fixtures.store(bucket), own)
        const { blobId } = stored.content
        const selector = Fixtures.byId(stored.id)
        const ref = { bucket, selector, format: "hls", name: "index0.ts" } as const
        const find = Effect.map(conversions.findStreamFile(ref), ({ conversion, found }) => [
          conversion?.state,
          found._tag
        ])
        assert.deepStrictEqual(yield* find, [undefined, "None"])

        const [now, leaseUntil] = [Sample.at(), Sample.at(60_000)]
        const request = {
          bucket,
          fileId: stored.id,
          blobId,
          id: Sample.id("cnv"),
          format: "hls",
          mode: "auto"
        } as const
        const { id: conversionId } = yield* conversions.request({ ...request, maxPending: 10, now })
        const claim = yield* Effect.flatMap(
          conversions.claim({ now, leaseUntil, sweepAt: leaseUntil, conversionId }),
          Effect.fromOption
        )
        const segment = { name: "index0.ts", blobId: Sample.id("blb"), size: 10, sha256: Sample.hash() }
        yield* conversions.stage(claim, { blobIds: [segment.blobId], now, leaseUntil })
        const published = { segments: [segment], playlists: [], progress: 1, presentation, isFinished: true }
        yield* conversions.publish(claim, { ...published, now, leaseUntil })
        for (let count = 0; count < 3; count++) assert.deepStrictEqual(yield* find, ["READY", "Segment"])
        assert.strictEqual((yield* conversions.findStreamFile({ ...ref, name: "index1.ts" })).found._tag, "None")
        const hidden = yield* Effect.flip(conversions.findStreamFile({ ...ref, bucket: foreign }))
        assert.strictEqual(hidden._tag, "NotFound")

        const removal = { bucket, blobId, format: "hls", sweepAt: leaseUntil } as const
        assert.isTrue(yield* Context.get(client, ConversionRepository).remove(removal))
        assert.deepStrictEqual(yield* find, [undefined, "None"])
        yield* Context.get(client, FileRepository).remove({ bucket, selector, condition: {}, sweepAt: leaseUntil })
        assert.strictEqual((yield* Effect.flip(find))._tag, "NotFound")
      }
    }).pipe(Effect.scoped)
  )
})
