import { describe, expect } from "@effect/vitest"
import type { StoredMirror } from "@holdfast/core/mirrors/StoredMirror"
import * as Actor from "@holdfast/core/Actor"
import { Files } from "@holdfast/core/files/Files"
import { type MirrorRef, MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as MirrorFixtures from "@holdfast/testing/metadata/mirrors/MirrorFixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as MirrorScene from "@holdfast/testing/mirrors/MirrorScene"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { test } from "./support/Setup.ts"

const { held, mirrored, settled, startWorker, until, upload, wanted, withWorker } = MirrorScene

const stored = Effect.fnUntraced(function* (ref: MirrorRef) {
  const found = yield* (yield* MirrorRepository).find(ref, yield* DateTime.now)
  return Option.getOrThrow(found).mirror
})

/** Claims everything, as another node does. */
const claim = Effect.fnUntraced(function* (mirror: StoredMirror, lease: Duration.Duration, ahead = Duration.zero) {
  const at = DateTime.addDuration(yield* DateTime.now, ahead)
  const leaseUntil = DateTime.addDuration(at, lease)
  return yield* (yield* MirrorTaskRepository).claim({ mirror, limit: 100, lease: Sample.word(), leaseUntil, now: at })
})

describe("a worker of mirrors", () => {
  test(
    "that is shut down gives back what it holds, for another to take at once",
    Effect.gen(function* () {
      const { bucket, ref, target } = yield* mirrored()
      yield* Effect.forEach([1, 2, 3], (index) => upload(bucket, `file ${index}`, "x"))
      const block = yield* target.faults.block({ method: "write" })
      yield* withWorker(
        until(target.faults.calls("write"), (calls) => calls === 3),
        { lease: Duration.hours(1) }
      )
      expect(yield* claim(yield* stored(ref), Duration.hours(1))).toHaveLength(3)
      yield* block.release
      expect(yield* target.names).toEqual([])
    })
  )

  test(
    "that dies is followed by another; what it still tells afterwards is not believed",
    Effect.gen(function* () {
      const { bucket, ref, target } = yield* mirrored()
      const file = yield* upload(bucket, "file", "x")
      const mirror = yield* stored(ref)
      yield* MirrorFixtures.createTasks(mirror.id)
      const dead = yield* claim(mirror, Duration.millis(40))
      expect(dead).toHaveLength(1)
      yield* startWorker()
      yield* settled(ref)
      expect(yield* held(target)).toEqual(yield* wanted(bucket))
      // It was not dead but asleep, and wrote its old bytes over the others.
      yield* target.plant("file", new Uint8Array([6, 6, 6]))
      const tasks = yield* MirrorTaskRepository
      yield* MirrorFixtures.succeed(dead, yield* DateTime.now)
      yield* settled(ref)
      expect(yield* held(target)).toEqual(yield* wanted(bucket))
      // The same for a name that is nobody's any more.
      yield* (yield* Files).remove(Actor.system, { ...bucket, fileId: file.id })
      yield* settled(ref)
      yield* target.plant("file", new Uint8Array([6, 6, 6]))
      yield* tasks.abandon({ tasks: dead, now: yield* DateTime.now })
      yield* settled(ref)
      expect(yield* target.names).toEqual([])
    })
  )

  test(
    "whose hold is taken away stops, and what it may have written is written again",
    Effect.gen(function* () {
      const { bucket, ref, target } = yield* mirrored()
      yield* upload(bucket, "file", "x")
      const block = yield* target.faults.block({ method: "write" })
      yield* startWorker({ lease: Duration.millis(60) })
      yield* block.reached
      const thief = yield* until(
        claim(yield* stored(ref), Duration.hours(1), Duration.hours(1)),
        (got) => got.length > 0
      )
      yield* MirrorFixtures.succeed(thief, yield* DateTime.now)
      // The thief only said that it had copied it. The worker was told to stop, and doubts the object.
      yield* until(target.faults.calls("write"), (calls) => calls === 2)
      yield* block.release
      yield* settled(ref)
      expect(yield* held(target)).toEqual(yield* wanted(bucket))
    })
  )

  test(
    "prolongs what takes longer than a lease",
    Effect.gen(function* () {
      const { bucket, ref, target } = yield* mirrored()
      yield* upload(bucket, "file", "x")
      const block = yield* target.faults.block({ method: "write" })
      yield* startWorker({ lease: Duration.millis(300) })
      yield* block.reached
      const tasks = yield* MirrorTaskRepository
      const mirror = yield* stored(ref)
      const start = yield* DateTime.now
      // Twice the lease.
      yield* until(DateTime.now, (now) => DateTime.toEpochMillis(now) - DateTime.toEpochMillis(start) > 600)
      expect(yield* claim(mirror, Duration.hours(1))).toEqual([])
      expect(yield* tasks.due({ after: "", limit: 10, now: yield* DateTime.now })).toEqual([])
      yield* block.release
      yield* settled(ref)
      expect(yield* target.faults.calls("write")).toBe(1)
    })
  )
})
