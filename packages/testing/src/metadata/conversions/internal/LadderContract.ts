/**
 * The contract of `ConversionRepository` for ladders: the lower renditions that are made behind a READY copy.
 */
import { expect } from "@effect/vitest"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ConversionFixtures from "./ConversionFixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

const { claimed, presentation, publish, request, sweepAt, video } = ConversionFixtures

const claimAt = (now: number, ladders = true) => ConversionFixtures.claimAt(now, now + 1000, ladders)

/** Makes a READY copy whose ladder is due at 5000. */
const copy = Effect.gen(function* () {
  const made = yield* claimed()
  const fields = { isFinished: true, progress: 1, ladderDueAt: Sample.at(5000) }
  const [segment] = yield* publish(made.claim, ["index0.ts"], fields)
  return { ...made, segment }
})

const claimLadder = (now = 5000) => Effect.flatMap(claimAt(now), (claim) => Effect.orDie(Effect.fromOption(claim)))

const joined = (() => {
  const alone = presentation()
  const lower = { name: "360p", width: 640, height: 360, frameRate: 25, bitrate: 700_000 }
  return { ...alone, hasLadder: true, renditions: [alone.renditions[0], lower] as const }
})()

const stateOf = (blobId: string | undefined) => Effect.map(Fixtures.blob(blobId ?? ""), (row) => row?.state)

export const ladderContract = (it: It): void => {
  it.effect("ladder: copy is READY → claimed when due, only if the terms permit it, behind conversions", () =>
    Effect.gen(function* () {
      const { claim, source } = yield* copy
      expect(yield* claimAt(4999)).toEqual(Option.none())
      expect(yield* claimAt(5000, false)).toEqual(Option.none())
      const other = yield* video
      yield* request(other, "hls", Sample.at(5000))
      expect(Option.getOrThrow(yield* claimAt(5000))).toMatchObject({ ...other.source, isLadder: false })
      const ladder = yield* claimLadder()
      expect(ladder).toMatchObject({
        ...source,
        conversionId: claim.conversionId,
        isLadder: true,
        attempts: 1,
        interruptions: 0,
        takesOver: false
      })
      expect(yield* claimAt(5001)).toEqual(Option.none())
    })
  )

  it.effect("ladder: last publication → renditions and playlists of the copy change in one step", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, segment, source } = yield* copy
      const ladder = yield* claimLadder()
      expect(Option.getOrThrow(yield* conversions.findCopy(ladder))).toEqual({
        presentation: presentation(),
        playlists: new Map([["playlist.m3u8", "index0.ts"]])
      })
      const [first] = yield* publish(ladder, ["360p/index0.ts"], {
        presentation: joined,
        playlists: [],
        leaseUntil: Sample.at(7000)
      })
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
        { state: "READY", progress: 1, presentation: presentation() }
      ])
      yield* publish(ladder, ["360p/index1.ts"], { presentation: joined, isFinished: true, progress: 1 })
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
        { state: "READY", progress: 1, presentation: joined }
      ])
      expect(yield* claimAt(9000)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* conversions.findCopy(ladder)).playlists).toEqual(
        new Map([["playlist.m3u8", "360p/index1.ts"]])
      )
      expect(yield* Effect.forEach([segment, first], (one) => stateOf(one?.blobId))).toEqual(["READY", "READY"])
      // The stream goes with its ladder.
      yield* conversions.remove({ bucket, blobId: source.blobId, format: "hls", sweepAt })
      expect(yield* Effect.forEach([segment, first], (one) => stateOf(one?.blobId))).toEqual(["DOOMED", "DOOMED"])
    })
  )

  it.effect("ladder: lease has expired → the next worker begins again, and the former one has lost its lease", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { segment } = yield* copy
      const ladder = yield* claimLadder()
      const [first] = yield* publish(ladder, ["360p/index0.ts"], { playlists: [], leaseUntil: Sample.at(6000) })
      yield* conversions.renew(ladder, Sample.at(7000))
      expect(yield* claimAt(6999)).toEqual(Option.none())
      const next = yield* claimLadder(7000)
      expect(next).toMatchObject({ isLadder: true, attempts: 1, interruptions: 1, takesOver: true })
      expect(yield* Effect.forEach([segment, first], (one) => stateOf(one?.blobId))).toEqual(["READY", "DOOMED"])
      expect(yield* Effect.flip(conversions.renew(ladder, Sample.at(9000)))).toMatchObject({ _tag: "LeaseLost" })
      expect(yield* Effect.flip(publish(ladder, [], { isFinished: true }))).toMatchObject({ _tag: "LeaseLost" })
      expect(yield* conversions.expireLeases(Sample.at(7500))).toBe(1)
      yield* conversions.fail(yield* claimLadder(7500), {
        fault: { code: "internal", detail: "" },
        now: Sample.at(7500),
        sweepAt
      })
    })
  )

  it.effect("ladder: released or failed → due again or not at all; the copy stays READY", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, segment, source } = yield* copy
      const ladder = yield* claimLadder()
      const [first] = yield* publish(ladder, ["360p/index0.ts"], { playlists: [] })
      yield* conversions.release(ladder, { retryAt: Sample.at(8000), countAttempt: true, sweepAt })
      expect(yield* stateOf(first?.blobId)).toBe("DOOMED")
      expect(yield* claimAt(7999)).toEqual(Option.none())
      const second = yield* claimLadder(8000)
      expect(second).toMatchObject({ attempts: 2, takesOver: false })
      const [again] = yield* publish(second, ["360p/index0.ts"], { playlists: [] })
      yield* conversions.fail(second, { fault: { code: "internal", detail: "" }, now: Sample.at(8000), sweepAt })
      expect(yield* claimAt(90_000)).toEqual(Option.none())
      expect(yield* Effect.forEach([segment, again], (one) => stateOf(one?.blobId))).toEqual(["READY", "DOOMED"])
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
        { state: "READY", fault: null, presentation: presentation() }
      ])
    })
  )

  it.effect("ladder: content was replaced → never claimed", () =>
    Effect.gen(function* () {
      const { bucket, file } = yield* copy
      yield* ConversionFixtures.replaceContent(bucket, file.id)
      expect(yield* claimAt(5000)).toEqual(Option.none())
    })
  )
}
