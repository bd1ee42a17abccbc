/**
 * What the repositories promise to tell of work that waits, over the whole deployment. What earlier tests left undone is
 * ended first.
 */
import { expect } from "@effect/vitest"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as ConversionFixtures from "../conversions/ConversionFixtures.ts"
import type { It } from "../Metadata.ts"
import * as Mirrors from "../mirrors/Mirrors.ts"
import * as Sample from "../Sample.ts"
import * as Fixtures from "../Fixtures.ts"

const many = 1000

/** Removes the mirrors that have something to do. */
const removeMirrors = Effect.gen(function* () {
  const [mirrors, tasks] = [yield* MirrorRepository, yield* MirrorTaskRepository]
  const far = Sample.at(1_000_000_000)
  for (const { mirror } of yield* tasks.due(far, "", 1_000_000)) yield* mirrors.remove(mirror, mirror.id)
})

/** A mirror of a bucket with files that were written at these times. */
const mirrored = Effect.fnUntraced(function* (times: ReadonlyArray<number>) {
  const { bucket, mirror } = yield* Mirrors.mirror()
  yield* Effect.forEach(times, (time) => Fixtures.store(bucket, { updatedAt: Sample.at(time) }))
  return { bucket, mirror }
})

export const backlogContract = (it: It): void => {
  it.effect("conversions are queued until a worker has them, and again when its lease has ended", () =>
    Effect.gen(function* () {
      const conversions = yield* ConversionRepository
      yield* ConversionFixtures.failPending
      const backlog = (at: number, limit = many) => conversions.queueDepth(Sample.at(at), limit)
      expect(yield* backlog(0)).toEqual({ queued: 0, leased: 0 })
      const made = yield* Effect.forEach([1, 2, 3, 7000], (at) =>
        Effect.tap(ConversionFixtures.video, (video) => ConversionFixtures.request(video, "hls", Sample.at(at)))
      )
      expect(yield* backlog(10)).toEqual({ queued: 4, leased: 0 })
      const claim = yield* ConversionFixtures.claimNext(10, 5000)
      expect(yield* backlog(4999)).toEqual({ queued: 3, leased: 1 })
      expect(yield* backlog(5000)).toEqual({ queued: 4, leased: 0 })
      // Of what is due, and of what is not, as many as are asked for.
      expect(yield* backlog(4999, 1)).toEqual({ queued: 1, leased: 1 })
      yield* conversions.release(claim, { retryAt: Sample.at(6000), countAttempt: true, doom: ConversionFixtures.doom })
      expect(yield* backlog(4999)).toEqual({ queued: 4, leased: 0 })

      // What is done with, and what belongs to no file any more, waits for nobody.
      const next = yield* ConversionFixtures.claimNext(10)
      yield* ConversionFixtures.publish(next, ["index0.ts"], { isFinished: true, progress: 1 })
      const last = yield* ConversionFixtures.claimNext(10)
      const fault = { code: "internal", detail: "" } as const
      yield* conversions.fail(last, { fault, now: Sample.at(11), doom: ConversionFixtures.doom })
      expect(yield* backlog(5000)).toEqual({ queued: 2, leased: 0 })
      const [first] = made
      if (first === undefined) return yield* Effect.die("None was made.")
      yield* (yield* FileRepository).remove({
        bucket: first.bucket,
        selector: Fixtures.byId(first.file.id),
        condition: {},
        doom: ConversionFixtures.doom
      })
      expect(yield* backlog(5000)).toEqual({ queued: 1, leased: 0 })
    })
  )

  it.effect("files are pending for mirrors until they are copied, with the time of the oldest", () =>
    Effect.gen(function* () {
      const [mirrors, tasks] = [yield* MirrorRepository, yield* MirrorTaskRepository]
      yield* removeMirrors
      const before = yield* mirrors.queueDepth(many)
      expect(before).toEqual({ pending: 0, failing: before.failing, oldest: null })
      const one = yield* mirrored([30, 20, 40])
      const other = yield* mirrored([25, 35])
      const backlog = Effect.map(mirrors.queueDepth(many), ({ failing, oldest, pending }) => ({
        pending,
        failing: failing - before.failing,
        oldest: oldest === null ? null : DateTime.toEpochMillis(oldest) - DateTime.toEpochMillis(Sample.at(0))
      }))
      expect(yield* backlog).toEqual({ pending: 5, failing: 0, oldest: 20 })
      expect(yield* mirrors.queueDepth(4)).toMatchObject({ pending: 4, oldest: Sample.at(20) })

      // One that is held, or waits to be tried again, is as old as before.
      const [task] = yield* Mirrors.claim(one.mirror, Sample.at(1000), { limit: 1 })
      if (task === undefined) return yield* Effect.die("There is no task.")
      expect(yield* backlog).toEqual({ pending: 5, failing: 0, oldest: 20 })
      yield* Mirrors.settle([Mirrors.failed(task, { error: "Too big.", retryAt: Sample.at(9000) })])
      expect(yield* backlog).toEqual({ pending: 5, failing: 0, oldest: 20 })
      expect(yield* mirrors.queueDepth(1)).toMatchObject({ pending: 1, oldest: Sample.at(20) })
      yield* Mirrors.copyAll(one.mirror, Sample.at(9000))
      expect(yield* backlog).toEqual({ pending: 2, failing: 0, oldest: 25 })

      yield* tasks.fail(other.mirror, "It is down.", Sample.at(1100), Sample.at(2100))
      expect(yield* backlog).toEqual({ pending: 2, failing: 1, oldest: 25 })
      yield* mirrors.update(other.bucket, other.mirror.id, { paused: true }, Sample.at(1200))
      expect(yield* backlog).toEqual({ pending: 0, failing: 0, oldest: null })
      yield* mirrors.update(other.bucket, other.mirror.id, { paused: false }, Sample.at(1300))
      expect(yield* backlog).toEqual({ pending: 2, failing: 0, oldest: 25 })
      yield* mirrors.remove(other.bucket, other.mirror.id)
      expect(yield* backlog).toEqual({ pending: 0, failing: 0, oldest: null })
    })
  )
}
