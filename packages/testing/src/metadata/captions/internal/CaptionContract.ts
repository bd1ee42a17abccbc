/**
 * The contract of `CaptionRepository`.
 */
import { expect } from "@effect/vitest"
import { CaptionRepository } from "@holdfast/core/captions/CaptionRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ConversionFixtures from "../../conversions/internal/ConversionFixtures.ts"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as CaptionFixtures from "../CaptionFixtures.ts"

export const captionContract = (it: It): void => {
  it.effect("captions: attached, listed in order, found and removed; another bucket or content has none of them", () =>
    Effect.gen(function* () {
      const repository = yield* CaptionRepository
      const video = yield* ConversionFixtures.video
      const other = yield* ConversionFixtures.video
      const first = CaptionFixtures.newCaptions(video)
      const second = CaptionFixtures.newCaptions(video, { label: "Zweite" })
      for (const captions of [first, second]) yield* repository.attach(captions)
      const { createdAt, id, label, language } = first
      expect(yield* repository.listByContent(first)).toEqual([
        { id, label, language, createdAt },
        { id: second.id, label: "Zweite", language, createdAt }
      ])
      expect(yield* repository.findCues(first)).toEqual(Option.some(first.cues))
      for (const foreign of [
        { id, bucket: other.bucket, blobId: first.blobId },
        { id, bucket: first.bucket, blobId: other.source.blobId }
      ]) {
        expect(yield* repository.listByContent(foreign)).toEqual([])
        expect(yield* repository.findCues(foreign)).toEqual(Option.none())
        expect(yield* repository.remove(foreign)).toBe(false)
      }
      expect([yield* repository.remove(first), yield* repository.remove(first)]).toEqual([true, false])
      expect((yield* repository.listByContent(first)).map((captions) => captions.id)).toEqual([second.id])
    })
  )

  it.effect("attach: several at once → as many as `maximum`, the others fail with QuotaExceeded", () =>
    Effect.gen(function* () {
      const repository = yield* CaptionRepository
      const video = yield* ConversionFixtures.video
      const results = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () => Effect.result(repository.attach(CaptionFixtures.newCaptions(video))),
        { concurrency: "unbounded" }
      )
      expect(results.filter(({ _tag }) => _tag === "Success")).toHaveLength(3)
      expect(results.find(({ _tag }) => _tag === "Failure")).toMatchObject({
        failure: { _tag: "QuotaExceeded", quota: { limit: "captionsPerContent", maximum: 3, use: 3 } }
      })
      expect(yield* repository.listByContent(CaptionFixtures.newCaptions(video))).toHaveLength(3)
    })
  )

  it.effect("attach: content is replaced → NotFound; `forget` removes the captions of the former content", () =>
    Effect.gen(function* () {
      const repository = yield* CaptionRepository
      const video = yield* ConversionFixtures.video
      const captions = CaptionFixtures.newCaptions(video)
      yield* repository.attach(captions)
      yield* (yield* BlobRepository).forget([captions.blobId])
      expect(yield* repository.listByContent(captions)).toHaveLength(1)
      yield* (yield* FileRepository).replaceContent({
        bucket: video.bucket,
        fileId: video.file.id,
        content: Sample.content(yield* Fixtures.stage(video.bucket)),
        condition: {},
        sweepAt: ConversionFixtures.sweepAt
      })
      const again = yield* Effect.flip(repository.attach(CaptionFixtures.newCaptions(video)))
      expect(again).toMatchObject({ _tag: "NotFound", resource: "file" })
      yield* (yield* BlobRepository).forget([captions.blobId])
      expect(yield* repository.listByContent(captions)).toEqual([])
    })
  )
}
