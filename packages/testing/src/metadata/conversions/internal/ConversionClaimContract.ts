/**
 * The contract of `ConversionRepository` for workers: claims, leases and publications.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import type { ConversionClaim } from "@holdfast/core/conversions/ConversionClaim"
import type { Mode } from "@holdfast/core/transcoding/ConversionPlan"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ConversionFixtures from "./ConversionFixtures.ts"
import type { It } from "../../internal/It.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

const stateOf = (blobId: string) => Effect.map(Fixtures.blob(blobId), (row) => row?.state)

/** Expects that every write with this claim fails with `LeaseLost`; but blobs may be staged for a READY conversion. */
const expectLeaseLost = Effect.fnUntraced(function* (claim: ConversionClaim, isReady = false) {
  const conversions = yield* ConversionRepository
  const fault = { code: "internal", detail: "" } as const
  const stage = conversions.stage(claim, { blobIds: [Sample.id("blb")], now: Sample.at(), leaseUntil: Sample.at() })
  if (isReady) yield* stage
  for (const write of [
    conversions.renew(claim, Sample.at(90_000)),
    ...(isReady ? [] : [stage]),
    conversions.publish(claim, ConversionFixtures.publication({})),
    conversions.publish(claim, ConversionFixtures.publication({ isFinished: true })),
    conversions.fail(claim, { fault, now: Sample.at(), sweepAt: ConversionFixtures.sweepAt }),
    conversions.release(claim, { retryAt: Sample.at(), countAttempt: true, sweepAt: ConversionFixtures.sweepAt })
  ]) {
    expect(yield* Effect.flip(write)).toMatchObject({ _tag: "LeaseLost" })
  }
})

/** What keeps `releaseDash` from releasing a conversion: how much of it is made, its mode, when it is called, and the claim. */
interface KeptDash {
  readonly progress: number
  readonly mode: Mode
  readonly now: number
  readonly isLost: boolean
  readonly isDash: boolean
}

const keptDash: ReadonlyArray<readonly [name: string, given: Partial<KeptDash>]> = [
  ["half of it is made", { progress: 0.5 }],
  ["it has to encode all tracks", { mode: "transcode" }],
  ["its lease has expired", { now: 30_000 }],
  ["the claim was lost", { isLost: true }],
  ["the claim is of DASH", { isDash: true }]
]

export const conversionClaimContract = (it: It): void => {
  it.effect("claim: several due conversions → each is claimed once, the one that has waited longest first", () =>
    Effect.gen(function* () {
      yield* ConversionFixtures.failPending
      const made = yield* Effect.forEach([3, 1, 2], (offset) =>
        Effect.tap(ConversionFixtures.video, (video) => ConversionFixtures.request(video, "hls", Sample.at(offset)))
      )
      expect(yield* ConversionFixtures.claimAt(0)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* ConversionFixtures.claimAt(3))).toMatchObject({
        ...made[1]?.bucket,
        ...made[1]?.source,
        fencingToken: 1,
        attempts: 1,
        format: "hls",
        mode: "auto"
      })
      const rest = yield* Effect.forEach(Array.from({ length: 8 }), () => ConversionFixtures.claimAt(3), {
        concurrency: "unbounded"
      })
      const files = rest.flatMap(Option.toArray).map(({ fileId }) => fileId)
      expect(files.toSorted()).toEqual([made[0]?.file.id, made[2]?.file.id].toSorted())
    })
  )

  it.effect(
    "claim: lease has expired → the next worker gets the conversion, and the former one has lost its lease",
    () =>
      Effect.gen(function* () {
        const conversions = yield* ConversionRepository
        const { bucket, claim, source } = yield* ConversionFixtures.claimed()
        const [segment] = yield* ConversionFixtures.publish(claim, ["index0.ts"], { leaseUntil: Sample.at(1000) })
        yield* conversions.renew(claim, Sample.at(2000))
        const early = yield* ConversionFixtures.claimAt(1999, 9000)
        expect(early).toEqual(Option.none())
        const next = yield* ConversionFixtures.claimNext(2000, 9000)
        expect(claim).toMatchObject({ attempts: 1, interruptions: 0, takesOver: false })
        expect(next).toEqual({ ...claim, fencingToken: 2, attempts: 1, interruptions: 1, takesOver: true })
        expect(yield* stateOf(segment?.blobId ?? "")).toBe("DOOMED")
        expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
          { state: "RUNNING", progress: 0, presentation: null, startedAt: Sample.at(2000) }
        ])
        yield* expectLeaseLost(claim)
        // The new attempt publishes the same names.
        yield* ConversionFixtures.publish(next, ["index0.ts"], {
          isFinished: true,
          progress: 1,
          ladderDueAt: Sample.at(5000)
        })
        yield* expectLeaseLost(next, true)
        yield* expectLeaseLost(claim)
        // The former worker adds nothing to what the other one has made, which adds its storyboard also while its ladder is made.
        const addition = { segments: [], playlists: [{ name: "storyboard.vtt", text: "WEBVTT" }] }
        expect(yield* Effect.flip(conversions.append(claim, addition))).toMatchObject({ _tag: "LeaseLost" })
        yield* ConversionFixtures.claimAt(5000, 9000, true)
        yield* conversions.append(next, addition)
        expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
          {
            state: "READY",
            progress: 1,
            fault: null,
            presentation: ConversionFixtures.presentation(),
            finishedAt: Sample.at(100)
          }
        ])
      })
  )

  it.effect("expireLeases: running conversions → all can be claimed at once; a READY one stays READY", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { claim } = yield* ConversionFixtures.claimed()
      expect(yield* conversions.expireLeases(Sample.at(200))).toBeGreaterThanOrEqual(1)
      const early = yield* ConversionFixtures.claimAt(199, 9000)
      expect(early).toEqual(Option.none())
      const next = yield* ConversionFixtures.claimNext(200, 9000)
      expect(next).toEqual({ ...claim, fencingToken: 2, interruptions: 1, takesOver: true })
      yield* expectLeaseLost(claim)
      yield* ConversionFixtures.publish(next, ["index0.ts"], { isFinished: true, progress: 1 })
      yield* conversions.expireLeases(Sample.at(300))
      const after = yield* ConversionFixtures.claimAt(9000, 9000)
      expect(after).toEqual(Option.none())
    })
  )

  it.effect("publish: conversion is running → readers see progress and presentation", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* ConversionFixtures.claimed()
      yield* conversions.publish(claim, ConversionFixtures.publication({ progress: 0.123456 }))
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
        {
          state: "RUNNING",
          progress: 0.123456,
          presentation: ConversionFixtures.presentation(),
          startedAt: Sample.at()
        }
      ])
    })
  )

  it.effect("publish: a staged blob was swept → LeaseLost, and nothing is published", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* ConversionFixtures.claimed()
      const segments = yield* ConversionFixtures.stage(claim, ["index0.ts", "index1.ts"])
      const [first, second] = segments.map(({ blobId }) => blobId)
      expect(yield* stateOf(first ?? "")).toBe("PENDING")
      yield* (yield* BlobRepository).forget([first ?? ""])
      const publishing = conversions.publish(claim, ConversionFixtures.publication({ segments, isFinished: true }))
      expect(yield* Effect.flip(publishing)).toMatchObject({ _tag: "LeaseLost" })
      expect(yield* stateOf(second ?? "")).toBe("PENDING")
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([{ state: "RUNNING", progress: 0 }])
    })
  )

  it.effect("fail: conversion is FAILED → no claim until the next request", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* ConversionFixtures.claimed()
      const [segment] = yield* ConversionFixtures.publish(claim, ["index0.ts"])
      const fault = { code: "conversion_failed", detail: "It is cut off." } as const
      yield* conversions.fail(claim, { fault, now: Sample.at(7), sweepAt: ConversionFixtures.sweepAt })
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("DOOMED")
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
        { state: "FAILED", fault, finishedAt: Sample.at(7) }
      ])
      expect(yield* ConversionFixtures.claimAt(8, 9)).toEqual(Option.none())
      yield* expectLeaseLost(claim)
      const again = yield* conversions.request(
        ConversionFixtures.requestOf({ bucket, source }, "hls", { mode: "transcode", now: Sample.at(9) })
      )
      expect(again).toMatchObject({
        id: claim.conversionId,
        state: "QUEUED",
        mode: "transcode",
        fault: null,
        progress: 0
      })
      const next = yield* ConversionFixtures.claimNext(9)
      expect(next).toMatchObject({ conversionId: claim.conversionId, fencingToken: 2, attempts: 1, mode: "transcode" })
    })
  )

  it.effect("release: conversion is due at `retryAt`; without `countAttempt` → attempts stay the same", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* ConversionFixtures.claimed()
      const [segment] = yield* ConversionFixtures.publish(claim, ["index0.ts"])
      yield* conversions.release(claim, {
        retryAt: Sample.at(500),
        countAttempt: true,
        sweepAt: ConversionFixtures.sweepAt
      })
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("DOOMED")
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
        { state: "QUEUED", startedAt: null }
      ])
      expect(yield* ConversionFixtures.claimAt(499, 900)).toEqual(Option.none())
      const second = yield* ConversionFixtures.claimNext(500)
      expect(second).toMatchObject({ fencingToken: 2, attempts: 2 })
      yield* conversions.release(second, {
        retryAt: Sample.at(501),
        countAttempt: false,
        sweepAt: ConversionFixtures.sweepAt
      })
      const third = yield* ConversionFixtures.claimNext(501)
      expect(third).toMatchObject({ fencingToken: 3, attempts: 2, mode: "auto" })
      yield* conversions.release(third, {
        retryAt: Sample.at(502),
        countAttempt: false,
        sweepAt: ConversionFixtures.sweepAt,
        mode: "encodeAudio"
      })
      expect(yield* ConversionFixtures.claimNext(502)).toMatchObject({ attempts: 2, mode: "encodeAudio" })
    })
  )

  it.effect("claim: leases expired, released in between → interruptions and attempts are counted apart", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* ConversionFixtures.claimed()
      const terms = { sweepAt: ConversionFixtures.sweepAt }
      yield* conversions.renew(claim, Sample.at(1000))
      const second = yield* ConversionFixtures.claimNext(1000, 2000)
      yield* conversions.release(second, { ...terms, retryAt: Sample.at(3000), countAttempt: false })
      const third = yield* ConversionFixtures.claimNext(3000, 4000)
      expect(third).toMatchObject({ attempts: 1, interruptions: 1, takesOver: false })
      const fourth = yield* ConversionFixtures.claimNext(4000, 5000)
      expect(fourth).toMatchObject({ attempts: 1, interruptions: 2, takesOver: true })
      yield* conversions.release(fourth, { ...terms, retryAt: Sample.at(5000), countAttempt: true })
      const fifth = yield* ConversionFixtures.claimNext(5000, 6000)
      expect(fifth).toMatchObject({ attempts: 2, interruptions: 2, takesOver: false })
      const fault = { code: "conversion_failed", detail: "It is cut off." } as const
      yield* conversions.fail(fifth, { ...terms, fault, now: Sample.at(5500) })
      yield* conversions.request(ConversionFixtures.requestOf({ bucket, source }, "hls", { now: Sample.at(6000) }))
      expect(yield* ConversionFixtures.claimNext(6000)).toMatchObject({
        attempts: 1,
        interruptions: 0,
        takesOver: false
      })
    })
  )

  it.effect(
    "claim: HLS of the same content is pending → DASH is not claimed; then `findReady` returns the HLS conversion",
    () =>
      Effect.gen(function* () {
        const conversions = yield* ConversionRepository
        yield* ConversionFixtures.failPending
        const made = yield* ConversionFixtures.video
        yield* ConversionFixtures.request(made, "dash", Sample.at(-10))
        yield* ConversionFixtures.request(made, "hls")
        const hls = yield* ConversionFixtures.claimNext()
        expect(hls.format).toBe("hls")
        expect(yield* ConversionFixtures.claimAt(0, 9)).toEqual(Option.none())
        const segments = yield* ConversionFixtures.publish(hls, ["index0.ts", "index1.ts"], { isFinished: true })
        const dash = yield* ConversionFixtures.claimNext()
        const ready = Option.getOrThrow(yield* conversions.findReady(dash))
        expect(ready).toMatchObject({ mode: "auto", presentation: ConversionFixtures.presentation() })
        const byName = ready.segments.toSorted((a, b) => (a.name < b.name ? -1 : 1))
        expect(byName).toEqual(segments.map(({ blobId, name }) => ({ name, blobId })))
        expect(yield* conversions.findReady(hls)).toEqual(Option.none())
        expect(ready.storyboard).toBeNull()
        const playlists = [{ name: "storyboard.vtt", text: "WEBVTT" }]
        yield* conversions.append(hls, { segments: [], playlists })
        expect(Option.getOrThrow(yield* conversions.findReady(dash))).toMatchObject({ storyboard: "WEBVTT" })
        // A claim that has not ended, and one of a conversion that was removed, add nothing.
        expect((yield* Effect.flip(conversions.append(dash, { segments: [], playlists })))._tag).toBe("LeaseLost")
        const { blobId, bucketId, tenantId } = hls
        const removal = { bucket: { tenantId, bucketId }, blobId, format: "hls", sweepAt: Sample.at(0) } as const
        yield* conversions.remove(removal)
        expect((yield* Effect.flip(conversions.append(hls, { segments: [], playlists })))._tag).toBe("LeaseLost")
      })
  )

  it.effect("releaseDash: DASH has made less than half → QUEUED without an attempt, LeaseLost, and waits for HLS", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim: dash, source } = yield* ConversionFixtures.claimed("dash")
      const [segment] = yield* ConversionFixtures.publish(dash, ["chunk-0-1.m4s"], { progress: 0.49 })
      yield* ConversionFixtures.request({ bucket, source }, "hls")
      const hls = yield* ConversionFixtures.claimNext()
      yield* conversions.releaseDash(hls, { now: Sample.at(1), sweepAt: ConversionFixtures.sweepAt })
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
        { format: "dash", state: "QUEUED", progress: 0, presentation: null, startedAt: null },
        { format: "hls", state: "RUNNING" }
      ])
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("DOOMED")
      yield* expectLeaseLost(dash)
      expect(yield* ConversionFixtures.claimAt(9, 90)).toEqual(Option.none())
      yield* ConversionFixtures.publish(hls, ["index0.ts"], { isFinished: true })
      const next = yield* ConversionFixtures.claimNext(9)
      expect(next).toMatchObject({ conversionId: dash.conversionId, fencingToken: 2, attempts: 1, takesOver: false })
    })
  )

  it.effect.each(keptDash)("releaseDash: %s → it goes on", ([, given]) =>
    Effect.gen(function* () {
      const { isDash = false, isLost = false, mode = "auto", now = 1, progress = 0 } = given
      const conversions = yield* ConversionRepository
      yield* ConversionFixtures.failPending
      const { bucket, source } = yield* ConversionFixtures.video
      yield* conversions.request(ConversionFixtures.requestOf({ bucket, source }, "dash", { mode }))
      const dash = yield* ConversionFixtures.claimNext()
      yield* conversions.publish(dash, ConversionFixtures.publication({ progress, leaseUntil: Sample.at(30_000) }))
      yield* ConversionFixtures.request({ bucket, source }, "hls")
      const hls = yield* ConversionFixtures.claimNext(0, 60_000)
      if (isLost) {
        yield* conversions.release(hls, {
          retryAt: Sample.at(),
          countAttempt: false,
          sweepAt: ConversionFixtures.sweepAt
        })
      }
      yield* conversions.releaseDash(isDash ? dash : hls, {
        now: Sample.at(now),
        sweepAt: ConversionFixtures.sweepAt
      })
      expect(yield* conversions.listByContent(bucket, source.blobId)).toMatchObject([
        { format: "dash", state: "RUNNING", progress },
        { format: "hls" }
      ])
    })
  )

  it.effect("releaseDash: DASH of another content → it goes on", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const other = yield* ConversionFixtures.claimed("dash")
      const made = yield* ConversionFixtures.video
      yield* ConversionFixtures.request(made)
      const hls = yield* ConversionFixtures.claimNext()
      yield* conversions.releaseDash(hls, { now: Sample.at(1), sweepAt: ConversionFixtures.sweepAt })
      expect(yield* conversions.listByContent(other.bucket, other.source.blobId)).toMatchObject([{ state: "RUNNING" }])
    })
  )

  it.effect("write of a worker: content was replaced or removed → LeaseLost", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const replaced = yield* ConversionFixtures.claimed()
      const fresh = Sample.content(yield* Fixtures.stage(replaced.bucket))
      yield* files.replaceContent({
        bucket: replaced.bucket,
        fileId: replaced.file.id,
        content: fresh,
        condition: {},
        sweepAt: ConversionFixtures.sweepAt
      })
      yield* expectLeaseLost(replaced.claim)
      const removed = yield* ConversionFixtures.claimed()
      yield* files.remove({
        bucket: removed.bucket,
        selector: Fixtures.byId(removed.file.id),
        condition: {},
        sweepAt: ConversionFixtures.sweepAt
      })
      yield* expectLeaseLost(removed.claim)
    })
  )
}
