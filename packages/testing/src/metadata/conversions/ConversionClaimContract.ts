/**
 * What `ConversionRepository` promises to workers.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import type { ConversionClaim } from "@holdfast/core/conversions/ConversionClaim"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Conversions from "./Conversions.ts"
import type { It } from "../Metadata.ts"
import * as Sample from "../Sample.ts"
import * as World from "../World.ts"

const stateOf = (blobId: string) => Effect.map(World.blob(blobId), (row) => row?.state)

/** Whatever a worker tells is refused. */
const expectLost = Effect.fnUntraced(function* (claim: ConversionClaim) {
  const conversions = yield* ConversionRepository
  const fault = { code: "internal", detail: "" } as const
  for (const told of [
    conversions.renew(claim, Sample.at(90_000)),
    conversions.stage(claim, [Sample.id("blb")], Sample.at(), Sample.at()),
    conversions.publish(claim, Conversions.publication({})),
    conversions.publish(claim, Conversions.publication({ isFinished: true })),
    conversions.fail(claim, fault, Sample.at(), Conversions.doom),
    conversions.release(claim, Sample.at(), true, Conversions.doom)
  ]) {
    expect(yield* Effect.flip(told)).toMatchObject({ _tag: "ClaimLost" })
  }
})

export const conversionClaimContract = (it: It): void => {
  it.effect("each conversion is claimed once, the one that has waited longest first", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      yield* Conversions.drain
      const made = yield* Effect.forEach([3, 1, 2], (offset) =>
        Effect.tap(Conversions.video, (video) => Conversions.ask(video, "hls", Sample.at(offset)))
      )
      const claim = (at: number) => conversions.claim(Sample.at(at), Sample.at(30_000), Conversions.doom)
      expect(yield* claim(0)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* claim(3))).toMatchObject({
        ...made[1]?.bucket,
        ...made[1]?.source,
        attempt: 1,
        tries: 1,
        format: "hls",
        mode: "auto"
      })
      const rest = yield* Effect.forEach(Array.from({ length: 8 }), () => claim(3), { concurrency: "unbounded" })
      const files = rest.flatMap(Option.toArray).map(({ fileId }) => fileId)
      expect(files.toSorted()).toEqual([made[0]?.file.id, made[2]?.file.id].toSorted())
    })
  )

  it.effect("a claim stands until its lease ends; then the next worker has it, and the former one has lost it", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* Conversions.claimed()
      const [segment] = yield* Conversions.publish(claim, ["index0.ts"], { leaseUntil: Sample.at(1000) })
      yield* conversions.renew(claim, Sample.at(2000))
      const early = yield* conversions.claim(Sample.at(1999), Sample.at(9000), Conversions.doom)
      expect(early).toEqual(Option.none())
      const next = yield* Conversions.take(Sample.at(2000), Sample.at(9000))
      expect(next).toEqual({ ...claim, attempt: 2, tries: 2 })
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("DOOMED")
      expect(yield* conversions.ofContent(bucket, source.blobId)).toMatchObject([
        { state: "RUNNING", progress: 0, presentation: null, startedAt: Sample.at(2000) }
      ])
      yield* expectLost(claim)
      // The same names again, from the new attempt.
      yield* Conversions.publish(next, ["index0.ts"], { isFinished: true, progress: 1 })
      yield* expectLost(next)
      expect(yield* conversions.ofContent(bucket, source.blobId)).toMatchObject([
        {
          state: "READY",
          progress: 1,
          fault: null,
          presentation: Conversions.presentation(),
          finishedAt: Sample.at(100)
        }
      ])
    })
  )

  it.effect("all claims end at once for a process that is alone, and what has ended stays", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { claim } = yield* Conversions.claimed()
      expect(yield* conversions.expire(Sample.at(200))).toBeGreaterThanOrEqual(1)
      const early = yield* conversions.claim(Sample.at(199), Sample.at(9000), Conversions.doom)
      expect(early).toEqual(Option.none())
      const next = yield* Conversions.take(Sample.at(200), Sample.at(9000))
      expect(next).toEqual({ ...claim, attempt: 2, tries: 2 })
      yield* expectLost(claim)
      yield* Conversions.publish(next, ["index0.ts"], { isFinished: true, progress: 1 })
      yield* conversions.expire(Sample.at(300))
      const after = yield* conversions.claim(Sample.at(9000), Sample.at(9000), Conversions.doom)
      expect(after).toEqual(Option.none())
    })
  )

  it.effect("progress and presentation are seen while it runs", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* Conversions.claimed()
      yield* conversions.publish(claim, Conversions.publication({ progress: 0.123456 }))
      expect(yield* conversions.ofContent(bucket, source.blobId)).toMatchObject([
        { state: "RUNNING", progress: 0.123456, presentation: Conversions.presentation(), startedAt: Sample.at() }
      ])
    })
  )

  it.effect("a staged blob is PENDING, and one that was given up takes the claim with it", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* Conversions.claimed()
      const segments = yield* Conversions.staged(claim, ["index0.ts", "index1.ts"])
      const [first, second] = segments.map(({ blobId }) => blobId)
      expect(yield* stateOf(first ?? "")).toBe("PENDING")
      yield* (yield* BlobRepository).forget([first ?? ""])
      const publishing = conversions.publish(claim, Conversions.publication({ segments, isFinished: true }))
      expect(yield* Effect.flip(publishing)).toMatchObject({ _tag: "ClaimLost" })
      expect(yield* stateOf(second ?? "")).toBe("PENDING")
      expect(yield* conversions.ofContent(bucket, source.blobId)).toMatchObject([{ state: "RUNNING", progress: 0 }])
    })
  )

  it.effect("a FAILED conversion stays so until it is asked for anew", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* Conversions.claimed()
      const [segment] = yield* Conversions.publish(claim, ["index0.ts"])
      const fault = { code: "conversion_failed", detail: "It is cut off." } as const
      yield* conversions.fail(claim, fault, Sample.at(7), Conversions.doom)
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("DOOMED")
      expect(yield* conversions.ofContent(bucket, source.blobId)).toMatchObject([
        { state: "FAILED", fault, finishedAt: Sample.at(7) }
      ])
      expect(yield* conversions.claim(Sample.at(8), Sample.at(9), Conversions.doom)).toEqual(Option.none())
      yield* expectLost(claim)
      const again = yield* conversions.request(bucket, source, Conversions.wanted("hls", "transcode"), Sample.at(9))
      expect(again).toMatchObject({
        id: claim.conversionId,
        state: "QUEUED",
        mode: "transcode",
        fault: null,
        progress: 0
      })
      const next = yield* Conversions.take(Sample.at(9))
      expect(next).toMatchObject({ conversionId: claim.conversionId, attempt: 2, tries: 1, mode: "transcode" })
    })
  )

  it.effect("one that is given back is due again from then on; one that was no try is not counted", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      const { bucket, claim, source } = yield* Conversions.claimed()
      const [segment] = yield* Conversions.publish(claim, ["index0.ts"])
      yield* conversions.release(claim, Sample.at(500), true, Conversions.doom)
      expect(yield* stateOf(segment?.blobId ?? "")).toBe("DOOMED")
      expect(yield* conversions.ofContent(bucket, source.blobId)).toMatchObject([{ state: "QUEUED", startedAt: null }])
      expect(yield* conversions.claim(Sample.at(499), Sample.at(900), Conversions.doom)).toEqual(Option.none())
      const second = yield* Conversions.take(Sample.at(500))
      expect(second).toMatchObject({ attempt: 2, tries: 2 })
      yield* conversions.release(second, Sample.at(501), false, Conversions.doom)
      expect(yield* Conversions.take(Sample.at(501))).toMatchObject({ attempt: 3, tries: 2 })
    })
  )

  it.effect("DASH waits for HLS of the same content, and is told what stands then", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      yield* Conversions.drain
      const made = yield* Conversions.video
      yield* Conversions.ask(made, "dash", Sample.at(-10))
      yield* Conversions.ask(made, "hls")
      const hls = yield* Conversions.take()
      expect(hls.format).toBe("hls")
      expect(yield* conversions.claim(Sample.at(), Sample.at(9), Conversions.doom)).toEqual(Option.none())
      const segments = yield* Conversions.publish(hls, ["index0.ts", "index1.ts"], { isFinished: true })
      const dash = yield* Conversions.take()
      const standing = Option.getOrThrow(yield* conversions.findReady(dash))
      expect(standing).toMatchObject({ mode: "auto", presentation: Conversions.presentation() })
      const byName = standing.segments.toSorted((a, b) => (a.name < b.name ? -1 : 1))
      expect(byName).toEqual(segments.map(({ blobId, name }) => ({ name, blobId })))
      expect(yield* conversions.findReady(hls)).toEqual(Option.none())
    })
  )

  it.effect("a claim is lost when its content is replaced or removed", () =>
    Effect.gen(function* () {
      const files = yield* FileRepository
      const replaced = yield* Conversions.claimed()
      const fresh = Sample.content(yield* World.stage(replaced.bucket))
      yield* files.replaceContent(replaced.bucket, replaced.file.id, fresh, {}, Conversions.doom)
      yield* expectLost(replaced.claim)
      const removed = yield* Conversions.claimed()
      yield* files.remove(removed.bucket, World.byId(removed.file.id), {}, Conversions.doom)
      yield* expectLost(removed.claim)
    })
  )
}
