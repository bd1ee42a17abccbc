/**
 * The contract of the repositories: queue depths over the whole deployment. Each test first ends the work that earlier tests
 * have left.
 */
import { expect } from "@effect/vitest"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as ConversionFixtures from "../../conversions/internal/ConversionFixtures.ts"
import type { It } from "../../internal/It.ts"
import * as MirrorFixtures from "../../mirrors/MirrorFixtures.ts"
import * as Sample from "../../Sample.ts"
import * as Fixtures from "../../Fixtures.ts"

/** A limit that no test reaches. */
const unlimited = 1000

/** Removes the mirrors that have work to do. */
const removeDueMirrors = Effect.gen(function* () {
  const mirrors = yield* MirrorRepository
  const due = yield* MirrorFixtures.listDue(Sample.at(1_000_000_000))
  for (const { mirror } of due) yield* mirrors.remove({ ...mirror, mirrorId: mirror.id })
})

/** Creates a mirror, and then files in its bucket that were written at these times. */
const createMirrorWithFiles = Effect.fnUntraced(function* (times: ReadonlyArray<number>) {
  const made = yield* MirrorFixtures.create()
  yield* Effect.forEach(times, (time) => Fixtures.store(made.bucket, { updatedAt: Sample.at(time) }))
  return made
})

export const queueDepthContract = (it: It): void => {
  it.effect("conversions: not leased, or lease expired → queued; leased → counted as such; done → not counted", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      yield* ConversionFixtures.failPending
      const depth = (at: number, limit = unlimited) => conversions.queueDepth(Sample.at(at), limit)
      expect(yield* depth(0)).toEqual({ queued: 0, leased: 0 })
      const made = yield* Effect.forEach([1, 2, 3, 7000], (at) =>
        Effect.tap(ConversionFixtures.video, (video) => ConversionFixtures.request(video, "hls", Sample.at(at)))
      )
      expect(yield* depth(10)).toEqual({ queued: 4, leased: 0 })
      const claim = yield* ConversionFixtures.claimNext(10, 5000)
      expect(yield* depth(4999)).toEqual({ queued: 3, leased: 1 })
      expect(yield* depth(5000)).toEqual({ queued: 4, leased: 0 })
      // The limit applies separately to those that are due and to those that are not.
      expect(yield* depth(4999, 1)).toEqual({ queued: 1, leased: 1 })
      yield* conversions.release(claim, {
        retryAt: Sample.at(6000),
        countAttempt: true,
        sweepAt: ConversionFixtures.sweepAt
      })
      expect(yield* depth(4999)).toEqual({ queued: 4, leased: 0 })

      // Finished and failed conversions do not count, nor does that of a removed file.
      const next = yield* ConversionFixtures.claimNext(10)
      yield* ConversionFixtures.publish(next, ["index0.ts"], { isFinished: true, progress: 1 })
      const last = yield* ConversionFixtures.claimNext(10)
      const fault = { code: "internal", detail: "" } as const
      yield* conversions.fail(last, { fault, now: Sample.at(11), sweepAt: ConversionFixtures.sweepAt })
      expect(yield* depth(5000)).toEqual({ queued: 2, leased: 0 })
      const [first] = made
      if (first === undefined) return yield* Effect.die("No conversion was made.")
      yield* (yield* FileRepository).remove({
        bucket: first.bucket,
        selector: Fixtures.byId(first.file.id),
        condition: {},
        sweepAt: ConversionFixtures.sweepAt
      })
      expect(yield* depth(5000)).toEqual({ queued: 1, leased: 0 })
    })
  )

  it.effect(
    "mirrors: files not copied → pending, with the time of the oldest; mirror paused or removed → not counted",
    () =>
      Effect.gen(function* () {
        const mirrors = yield* MirrorRepository
        yield* removeDueMirrors
        const before = yield* mirrors.queueDepth(unlimited)
        expect(before).toEqual({ pending: 0, failing: before.failing, oldest: null })
        const one = yield* createMirrorWithFiles([30, 20, 40])
        const other = yield* createMirrorWithFiles([25, 35])
        const depth = Effect.map(mirrors.queueDepth(unlimited), ({ failing, oldest, pending }) => ({
          pending,
          failing: failing - before.failing,
          oldest: oldest === null ? null : DateTime.toEpochMillis(oldest) - DateTime.toEpochMillis(Sample.at(0))
        }))
        expect(yield* depth).toEqual({ pending: 5, failing: 0, oldest: 20 })
        expect(yield* mirrors.queueDepth(4)).toMatchObject({ pending: 4, oldest: Sample.at(20) })

        // A leased task, and one that waits for its next attempt, keep their age.
        const claimed = yield* MirrorFixtures.claim(one.mirror, Sample.at(1000), { limit: 1 })
        expect(claimed).toHaveLength(1)
        expect(yield* depth).toEqual({ pending: 5, failing: 0, oldest: 20 })
        const failure = { error: "Too big.", retryAt: Sample.at(9000) }
        yield* MirrorFixtures.complete(claimed.map((task) => MirrorFixtures.failed(task, failure)))
        expect(yield* depth).toEqual({ pending: 5, failing: 0, oldest: 20 })
        expect(yield* mirrors.queueDepth(1)).toMatchObject({ pending: 1, oldest: Sample.at(20) })
        yield* MirrorFixtures.copyAll(one.mirror, Sample.at(9000))
        expect(yield* depth).toEqual({ pending: 2, failing: 0, oldest: 25 })

        yield* MirrorFixtures.fail(other.mirror, "It is down.", { now: 1100, retryAt: 2100 })
        expect(yield* depth).toEqual({ pending: 2, failing: 1, oldest: 25 })
        const setPaused = (paused: boolean, now: number) =>
          mirrors.update({ mirror: other.ref, change: { paused }, now: Sample.at(now) })
        yield* setPaused(true, 1200)
        expect(yield* depth).toEqual({ pending: 0, failing: 0, oldest: null })
        yield* setPaused(false, 1300)
        expect(yield* depth).toEqual({ pending: 2, failing: 0, oldest: 25 })
        yield* mirrors.remove(other.ref)
        expect(yield* depth).toEqual({ pending: 0, failing: 0, oldest: null })
      })
  )
}
