/**
 * The contract of `PosterRepository`: posters that callers set.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { PosterRepository } from "@holdfast/core/posters/PosterRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ConversionFixtures from "../../conversions/internal/ConversionFixtures.ts"
import * as Fixtures from "../../Fixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as PosterFixtures from "../PosterFixtures.ts"

const claimAt = (now: number, leaseUntil = now + 1000) =>
  Effect.flatMap(PosterRepository, (posters) =>
    posters.claim({ now: Sample.at(now), leaseUntil: Sample.at(leaseUntil) })
  )

const claimNext = (now: number) => Effect.flatMap(claimAt(now), (task) => Effect.orDie(Effect.fromOption(task)))

/** Sets a poster for a time that is due at once. */
const setTime = Effect.fnUntraced(function* (time: number, dueAt: number) {
  const video = yield* ConversionFixtures.video
  const poster = PosterFixtures.newPoster(video, { time, image: null, updatedAt: Sample.at(dueAt) })
  yield* (yield* PosterRepository).set(poster)
  return { video, poster }
})

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)

export const setPosterContract = (it: It): void => {
  it.effect("set, find, remove: the last one counts; another bucket or content has none", () =>
    Effect.gen(function* () {
      const repository = yield* PosterRepository
      const video = yield* ConversionFixtures.video
      const other = yield* ConversionFixtures.video
      const first = PosterFixtures.newPoster(video)
      expect(yield* repository.find(first)).toEqual(Option.none())
      yield* repository.set(first)
      const { image, time, updatedAt } = first
      expect(yield* repository.find(first)).toEqual(Option.some({ time, image, updatedAt }))
      const second = PosterFixtures.newPoster(video, { image: bytes(0, 128, 255), updatedAt: Sample.at(7) })
      yield* repository.set(second)
      expect(yield* repository.find(first)).toEqual(
        Option.some({ time: null, image: bytes(0, 128, 255), updatedAt: Sample.at(7) })
      )
      for (const foreign of [
        { bucket: other.bucket, blobId: first.blobId },
        { bucket: first.bucket, blobId: other.source.blobId }
      ]) {
        expect(yield* repository.find(foreign)).toEqual(Option.none())
        expect(yield* repository.remove(foreign)).toBe(false)
      }
      expect([yield* repository.remove(first), yield* repository.remove(first)]).toEqual([true, false])
      expect(yield* repository.find(first)).toEqual(Option.none())
    })
  )

  it.effect("set for a time: claimed once, until its lease expires; completed → the picture", () =>
    Effect.gen(function* () {
      const repository = yield* PosterRepository
      const { poster, video } = yield* setTime(12.345, 1000)
      expect(yield* repository.find(poster)).toMatchObject({ value: { time: 12.345, image: null } })
      expect(yield* claimAt(999)).toEqual(Option.none())
      const claims = yield* Effect.forEach(Array.from({ length: 4 }), () => claimAt(1000), { concurrency: "unbounded" })
      const [former] = claims.flatMap(Option.toArray)
      expect(claims.flatMap(Option.toArray)).toEqual([
        { ...video.bucket, ...video.source, time: 12.345, leaseUntil: Sample.at(2000) }
      ])
      expect(yield* claimAt(1999)).toEqual(Option.none())
      const task = yield* claimNext(2000)
      const late = repository.complete(former ?? task, bytes(1), Sample.at(2001))
      expect(yield* Effect.flip(late)).toMatchObject({ _tag: "LeaseLost" })
      // The process is known to be the only one: it need not wait for the end of the lease.
      expect(yield* repository.expireLeases(Sample.at(2001))).toBe(1)
      const restarted = yield* claimNext(2001)
      yield* repository.complete(restarted, bytes(2), Sample.at(2002))
      expect(yield* repository.find(poster)).toEqual(
        Option.some({ time: 12.345, image: bytes(2), updatedAt: Sample.at(2002) })
      )
      expect(yield* claimAt(1_000_000)).toEqual(Option.none())
    })
  )

  it.effect("set for a time after an image: the image stays until the picture is made", () =>
    Effect.gen(function* () {
      const repository = yield* PosterRepository
      const video = yield* ConversionFixtures.video
      const image = PosterFixtures.newPoster(video)
      yield* repository.set(image)
      yield* repository.set(PosterFixtures.newPoster(video, { time: 3, image: null, updatedAt: Sample.at(1000) }))
      expect(yield* repository.find(image)).toMatchObject({ value: { time: 3, image: image.image } })
      const task = yield* claimNext(1000)
      // Set again meanwhile: the picture of the former time is not stored.
      yield* repository.set(PosterFixtures.newPoster(video, { image: bytes(9), updatedAt: Sample.at(1500) }))
      const late = repository.complete(task, bytes(1), Sample.at(1600))
      expect(yield* Effect.flip(late)).toMatchObject({ _tag: "LeaseLost" })
      expect(yield* repository.find(image)).toMatchObject({ value: { time: null, image: bytes(9) } })
      expect(yield* claimAt(1_000_000)).toEqual(Option.none())
    })
  )

  it.effect("complete: no picture could be made → the poster is removed", () =>
    Effect.gen(function* () {
      const repository = yield* PosterRepository
      const { poster } = yield* setTime(3, 1000)
      yield* repository.complete(yield* claimNext(1000), null, Sample.at(1001))
      expect(yield* repository.find(poster)).toEqual(Option.none())
    })
  )

  it.effect("set: content is replaced → NotFound; `forget` removes the poster of the former content", () =>
    Effect.gen(function* () {
      const repository = yield* PosterRepository
      const video = yield* ConversionFixtures.video
      const poster = PosterFixtures.newPoster(video)
      yield* repository.set(poster)
      yield* (yield* BlobRepository).forget([poster.blobId])
      expect(Option.isSome(yield* repository.find(poster))).toBe(true)
      yield* (yield* FileRepository).replaceContent({
        bucket: video.bucket,
        fileId: video.file.id,
        content: Sample.content(yield* Fixtures.stage(video.bucket)),
        condition: {},
        sweepAt: ConversionFixtures.sweepAt
      })
      expect(yield* Effect.flip(repository.set(poster))).toMatchObject({ _tag: "NotFound", resource: "file" })
      yield* (yield* BlobRepository).forget([poster.blobId])
      expect(yield* repository.find(poster)).toEqual(Option.none())
    })
  )
}
