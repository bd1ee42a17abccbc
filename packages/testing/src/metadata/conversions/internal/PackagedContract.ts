/**
 * The contract of `ConversionRepository` for packaged presentations, whose segments are cut by an index.
 */
import { expect } from "@effect/vitest"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Effect from "effect/Effect"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as ConversionFixtures from "./ConversionFixtures.ts"

const { share, sharedPresentation: presentation } = ConversionFixtures

export const packagedContract = (it: It): void => {
  it.effect(
    "findStreamFile: packaged presentation that is shared → its index, for segments of HLS of a ladder, too",
    () =>
      Effect.gen(function* () {
        const conversions = yield* ConversionRepository
        const { bucket, claim, source } = yield* ConversionFixtures.claimed("dash")
        const alone = { ...presentation("dash"), isPackaged: true }
        const segments = yield* ConversionFixtures.stage(claim, ["index.bin"])
        const playlists = [{ name: "manifest.mpd", text: "<MPD/>" }]
        const finished = { isFinished: true, progress: 1, presentation: alone, ladderDueAt: Sample.at(5000) }
        yield* conversions.publish(claim, ConversionFixtures.publication({ segments, playlists, ...finished }))
        yield* ConversionFixtures.request({ bucket, source }, "hls")
        const sharer = yield* ConversionFixtures.claimNext()
        yield* share(sharer, claim.conversionId)
        const ladder = yield* Effect.flatMap(ConversionFixtures.claimAt(5000, 6000, true), (found) =>
          Effect.orDie(Effect.fromOption(found))
        )
        const lower = { name: "360p", width: 640, height: 360, frameRate: 25, bitrate: 700_000 }
        const joined = { ...alone, hasLadder: true, renditions: [alone.renditions[0], lower] as const }
        const [chunk] = yield* ConversionFixtures.publish(ladder, ["360p/chunk4.m4s"], {
          playlists: [{ name: "playlist.m3u8", text: "360p.m3u8" }],
          presentation: joined,
          isFinished: true,
          progress: 1
        })
        // Both change in the same transaction.
        expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
          { format: "dash", presentation: joined },
          { format: "hls", presentation: { ...joined, format: "hls" } }
        ])
        const find = (format: Format, name: string) =>
          conversions.findStreamFile({ bucket, selector: Fixtures.byId(source.fileId), format, name })
        const [index] = segments.map(({ blobId, sha256, size }) => ({ blobId, sha256, size }))
        const packaged = { _tag: "Packaged", index, damaged: false, contentDamaged: false }
        for (const name of ["index3.ts", "360p/index3.ts"]) expect((yield* find("hls", name)).found).toEqual(packaged)
        for (const name of ["init-0.m4s", "chunk-1-4.m4s"]) expect((yield* find("dash", name)).found).toEqual(packaged)
        expect((yield* find("dash", "360p/chunk4.m4s")).found).toMatchObject({ _tag: "Segment", blobId: chunk?.blobId })
        expect((yield* find("hls", "360p.m3u8")).found).toEqual({ _tag: "None" })
        const content = { ...bucket, blobId: source.blobId }
        yield* (yield* DamageRepository).record({ blob: content, kind: "Missing", at: Sample.at() })
        expect((yield* find("hls", "360p/index3.ts")).found).toMatchObject({
          _tag: "Packaged",
          damaged: false,
          contentDamaged: true
        })
        expect((yield* find("dash", "360p/chunk4.m4s")).found).toMatchObject({ _tag: "Segment", damaged: false })
      })
  )

  it.effect("findStreamFile: packaged presentation with stored segments of HLS of a ladder → the stored segment", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* ConversionFixtures.claimed("hls")
      const [index, stored] = yield* ConversionFixtures.publish(claim, ["index.bin", "360p/index3.ts"], {
        isFinished: true,
        progress: 1
      })
      const find = (name: string) =>
        conversions.findStreamFile({ bucket, selector: Fixtures.byId(source.fileId), format: "hls", name })
      expect((yield* find("360p/index3.ts")).found).toMatchObject({ _tag: "Segment", blobId: stored?.blobId })
      expect((yield* find("index3.ts")).found).toMatchObject({ _tag: "Packaged", index: { blobId: index?.blobId } })
    })
  )
}
