/**
 * The contract of `ConversionRepository` for posters that are made behind a READY conversion.
 */
import { expect } from "@effect/vitest"
import type { Segment } from "@holdfast/core/conversions/Publication"
import { ConversionRepository, type PosterTask } from "@holdfast/core/conversions/ConversionRepository"
import { within } from "@holdfast/core/usage/UsageLimits"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ConversionFixtures from "./ConversionFixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

const name = "poster.jpg"

const claimAt = (now: number, leaseUntil = now + 1000) =>
  Effect.flatMap(ConversionRepository, (conversions) =>
    conversions.claimPoster({ now: Sample.at(now), leaseUntil: Sample.at(leaseUntil) })
  )

const claimNext = (now: number) => Effect.flatMap(claimAt(now), (task) => Effect.orDie(Effect.fromOption(task)))

const publish = (task: PosterTask, poster: Segment) =>
  Effect.flatMap(ConversionRepository, (conversions) => conversions.publishPoster(task, poster))

const complete = (task: PosterTask) =>
  Effect.flatMap(ConversionRepository, (conversions) => conversions.completePictures(task))

/** Makes a READY conversion whose poster is due at a time. */
const ready = Effect.fnUntraced(function* (dueAt: number) {
  const made = yield* ConversionFixtures.claimed()
  const fields = { isFinished: true, progress: 1, picturesDueAt: Sample.at(dueAt) }
  const [segment] = yield* ConversionFixtures.publish(made.claim, ["index0.ts"], fields)
  return { ...made, segment }
})

/** Stages the blob of a poster. */
const stage = Effect.fnUntraced(function* (task: PosterTask) {
  const blobId = yield* Fixtures.stage(task)
  return { name, blobId, size: 12_345, sha256: Sample.hash() }
})

const stateOf = (blobId: string) => Effect.map(Fixtures.blob(blobId), (row) => row?.state)

const find = ({ bucket, file }: Effect.Success<ReturnType<typeof ready>>) =>
  Effect.flatMap(ConversionRepository, (conversions) =>
    Effect.map(
      conversions.findStreamFile({ bucket, selector: Fixtures.byId(file.id), format: "hls", name }),
      ({ found }) => found
    )
  )

const farFuture = 1_000_000_000

/** Ends the posters that an earlier test has left. */
const clear = Effect.gen(function* () {
  for (let task = yield* claimAt(farFuture); Option.isSome(task); task = yield* claimAt(farFuture)) {
    yield* complete(task.value)
  }
})

export const posterContract = (it: It): void => {
  it.effect("poster: conversion is not READY, or needs none → not due", () =>
    Effect.gen(function* () {
      yield* clear
      const { claim } = yield* ConversionFixtures.claimed()
      yield* ConversionFixtures.publish(claim, ["index0.ts"], { picturesDueAt: Sample.at(1) })
      expect(yield* claimAt(1_000_000)).toEqual(Option.none())
      yield* ConversionFixtures.publish(claim, ["index1.ts"], { isFinished: true, progress: 1 })
      expect(yield* claimAt(1_000_000)).toEqual(Option.none())
    })
  )

  it.effect("poster: several are due → the one that has been due for longest; each is claimed once", () =>
    Effect.gen(function* () {
      yield* clear
      const later = yield* ready(300)
      const earlier = yield* ready(200)
      expect(yield* claimAt(199)).toEqual(Option.none())
      const claimed = yield* Effect.forEach(Array.from({ length: 5 }), () => claimAt(300), { concurrency: "unbounded" })
      const tasks = claimed.flatMap(Option.toArray)
      expect(tasks.map(({ conversionId }) => conversionId).toSorted()).toEqual(
        [earlier.claim.conversionId, later.claim.conversionId].toSorted()
      )
      yield* Effect.forEach(tasks, complete, { discard: true })
      const [first, second] = [yield* ready(400), yield* ready(350)]
      const next = yield* claimNext(500)
      expect(next).toEqual({
        ...second.bucket,
        ...second.source,
        conversionId: second.claim.conversionId,
        presentation: ConversionFixtures.presentation(),
        hasPoster: false,
        hasStoryboard: false,
        leaseUntil: Sample.at(1500)
      })
      const last = yield* claimNext(500)
      expect(last.conversionId).toBe(first.claim.conversionId)
      yield* Effect.forEach([next, last], complete, { discard: true })
    })
  )

  it.effect("publishPoster: claimed → a file of the stream; it is DOOMED with the stream", () =>
    Effect.gen(function* () {
      yield* clear
      const conversions = yield* ConversionRepository
      const made = yield* ready(100)
      expect(yield* find(made)).toEqual({ _tag: "Pending" })
      const task = yield* claimNext(100)
      const poster = yield* stage(task)
      yield* publish(task, poster)
      const { blobId, sha256, size } = poster
      expect(yield* find(made)).toEqual({ _tag: "Segment", blobId, size, sha256, damaged: false })
      expect(yield* stateOf(blobId)).toBe("READY")
      yield* complete(task)
      expect(yield* claimAt(1_000_000)).toEqual(Option.none())
      const again = yield* stage(task)
      expect(yield* Effect.flip(publish(task, again))).toMatchObject({ _tag: "LeaseLost" })
      expect(yield* Effect.flip(complete(task))).toMatchObject({ _tag: "LeaseLost" })
      const { sweepAt } = ConversionFixtures
      yield* conversions.remove({ bucket: made.bucket, blobId: made.source.blobId, format: "hls", sweepAt })
      expect(yield* stateOf(blobId)).toBe("DOOMED")
    })
  )

  it.effect(
    "publishPoster: worker dies before the storyboard → due again at the end of the lease, with its poster",
    () =>
      Effect.gen(function* () {
        yield* clear
        const conversions = yield* ConversionRepository
        const made = yield* ready(100)
        const former = yield* claimNext(100)
        yield* publish(former, yield* stage(former))
        expect(yield* claimAt(1099)).toEqual(Option.none())
        const task = yield* claimNext(1100)
        expect(task).toEqual({ ...former, hasPoster: true, leaseUntil: Sample.at(2100) })
        const playlists = [{ name: "storyboard.vtt", text: "WEBVTT" }]
        yield* conversions.append(task, { segments: [], playlists })
        expect(yield* Effect.flip(complete(former))).toMatchObject({ _tag: "LeaseLost" })
        const last = yield* claimNext(2100)
        expect(last).toEqual({ ...task, hasStoryboard: true, leaseUntil: Sample.at(3100) })
        // The process is known to be the only one: it need not wait for the end of the lease.
        expect(yield* conversions.expireLeases(Sample.at(2200))).toBeGreaterThanOrEqual(1)
        const restarted = yield* claimNext(2200)
        expect(restarted).toEqual({ ...last, leaseUntil: Sample.at(3200) })
        yield* complete(restarted)
        expect(yield* claimAt(1_000_000)).toEqual(Option.none())
        expect(yield* find(made)).toMatchObject({ _tag: "Segment" })
      })
  )

  it.effect("completePictures: by the claim that made the conversion READY → not due; by another one → LeaseLost", () =>
    Effect.gen(function* () {
      yield* clear
      const conversions = yield* ConversionRepository
      const { claim } = yield* ready(100)
      const other = { ...claim, fencingToken: claim.fencingToken + 1 }
      expect(yield* Effect.flip(conversions.completePictures(other))).toMatchObject({ _tag: "LeaseLost" })
      yield* conversions.completePictures(claim)
      expect(yield* claimAt(1_000_000)).toEqual(Option.none())
    })
  )

  it.effect("completePictures: no poster could be made → no file, and not due again", () =>
    Effect.gen(function* () {
      yield* clear
      const made = yield* ready(100)
      yield* complete(yield* claimNext(100))
      expect(yield* find(made)).toEqual({ _tag: "None" })
      expect(yield* claimAt(1_000_000)).toEqual(Option.none())
    })
  )

  it.effect("publishPoster: lease has expired, another worker has claimed → LeaseLost for the former one", () =>
    Effect.gen(function* () {
      yield* clear
      const made = yield* ready(100)
      const former = yield* claimNext(100)
      expect(yield* claimAt(1099)).toEqual(Option.none())
      const task = yield* claimNext(1100)
      expect(task).toEqual({ ...former, leaseUntil: Sample.at(2100) })
      const poster = yield* stage(former)
      expect(yield* Effect.flip(publish(former, poster))).toMatchObject({ _tag: "LeaseLost" })
      expect(yield* Effect.flip(complete(former))).toMatchObject({ _tag: "LeaseLost" })
      expect(yield* stateOf(poster.blobId)).toBe("PENDING")
      yield* publish(task, poster)
      expect(yield* find(made)).toMatchObject({ _tag: "Segment", blobId: poster.blobId })
    })
  )

  it.effect("publishPoster: stream was removed, or its poster's blob swept → LeaseLost, and nothing is added", () =>
    Effect.gen(function* () {
      yield* clear
      const conversions = yield* ConversionRepository
      const made = yield* ready(100)
      const task = yield* claimNext(100)
      const unknown = { name, blobId: Sample.id("blb"), size: 5, sha256: Sample.hash() }
      expect(yield* Effect.flip(publish(task, unknown))).toMatchObject({ _tag: "LeaseLost" })
      expect(yield* find(made)).toEqual({ _tag: "Pending" })
      const poster = yield* stage(task)
      const { sweepAt } = ConversionFixtures
      yield* conversions.remove({ bucket: made.bucket, blobId: made.source.blobId, format: "hls", sweepAt })
      expect(yield* Effect.flip(publish(task, poster))).toMatchObject({ _tag: "LeaseLost" })
      expect(yield* stateOf(poster.blobId)).toBe("PENDING")
      expect(yield* claimAt(1_000_000)).toEqual(Option.none())
    })
  )

  it.effect("publishPoster: id of another tenant or bucket → LeaseLost", () =>
    Effect.gen(function* () {
      yield* clear
      const made = yield* ready(100)
      const task = yield* claimNext(100)
      const { bucketId, tenantId } = yield* Fixtures.bucket()
      for (const other of [
        { ...task, tenantId },
        { ...task, bucketId }
      ]) {
        expect(yield* Effect.flip(complete(other))).toMatchObject({ _tag: "LeaseLost" })
      }
      yield* publish(task, yield* stage(task))
      expect(yield* find(made)).toMatchObject({ _tag: "Segment" })
    })
  )

  it.effect("publishPoster: limit would be exceeded → QuotaExceeded, and the claim may end without a poster", () =>
    Effect.gen(function* () {
      yield* clear
      const made = yield* ready(100)
      const task = yield* claimNext(100)
      const poster = yield* stage(task)
      const none = { files: null, bytes: null }
      const limited = publish(task, poster).pipe(within({ tenant: { ...none, bytes: 1 }, bucket: none }))
      expect(yield* Effect.flip(limited)).toMatchObject({ _tag: "QuotaExceeded" })
      expect(yield* stateOf(poster.blobId)).toBe("PENDING")
      yield* complete(task)
      expect(yield* find(made)).toEqual({ _tag: "None" })
    })
  )
}
