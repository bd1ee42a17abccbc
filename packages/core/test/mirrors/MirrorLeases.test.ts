import { describe, expect } from "@effect/vitest"
import type { StoredMirror } from "@holdfast/core/mirrors/StoredMirror"
import * as Actor from "@holdfast/core/Actor"
import { MetadataError } from "@holdfast/core/MetadataError"
import { Files } from "@holdfast/core/files/Files"
import { type MirrorRef, MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as MirrorFixtures from "@holdfast/testing/metadata/mirrors/MirrorFixtures"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { test } from "./support/MirrorTest.ts"

const { createMirror, expectedObjects, objectsAt, pollUntil, startWorker, untilCopied, upload, withWorker } =
  MirrorHarness

/** Returns a mirror as it is stored. */
const getStored = Effect.fnUntraced(function* (ref: MirrorRef) {
  const found = yield* (yield* MirrorRepository).find(ref, yield* DateTime.now)
  return Option.getOrThrow(found).mirror
})

/** Claims all due tasks, as another node does; `ahead` of the present. */
const claim = Effect.fnUntraced(function* (mirror: StoredMirror, lease: Duration.Duration, ahead = Duration.zero) {
  const at = DateTime.addDuration(yield* DateTime.now, ahead)
  const leaseUntil = DateTime.addDuration(at, lease)
  return yield* (yield* MirrorTaskRepository).claim({ mirror, limit: 100, lease: Sample.word(), leaseUntil, now: at })
})

describe("mirror worker", () => {
  test(
    "shut down while it copies → its tasks can be claimed at once",
    Effect.gen(function* () {
      const { bucket, ref, target } = yield* createMirror()
      yield* Effect.forEach([1, 2, 3], (index) => upload(bucket, `file ${index}`, "x"))
      const block = yield* target.faults.block({ method: "write" })
      yield* withWorker(
        pollUntil(target.faults.countCalls("write"), (calls) => calls === 3),
        { lease: Duration.hours(1) }
      )
      expect(yield* claim(yield* getStored(ref), Duration.hours(1))).toHaveLength(3)
      yield* block.release
      expect(yield* target.names).toEqual([])
    })
  )

  test(
    "lease expired → another worker copies; a late result → the file is copied again",
    Effect.gen(function* () {
      const { bucket, ref, target } = yield* createMirror()
      const file = yield* upload(bucket, "file", "x")
      const mirror = yield* getStored(ref)
      yield* MirrorFixtures.createTasks(mirror.id)
      const expired = yield* claim(mirror, Duration.millis(40))
      expect(expired).toHaveLength(1)
      yield* startWorker()
      yield* untilCopied(ref)
      expect(yield* objectsAt(target)).toEqual(yield* expectedObjects(bucket))
      // The first worker was only suspended: it wrote its old bytes over the new ones, and reports its result.
      yield* target.putExternally("file", new Uint8Array([6, 6, 6]))
      const tasks = yield* MirrorTaskRepository
      yield* MirrorFixtures.succeed(expired, yield* DateTime.now)
      yield* untilCopied(ref)
      expect(yield* objectsAt(target)).toEqual(yield* expectedObjects(bucket))
      // The same for a name that belongs to no file any more.
      yield* (yield* Files).remove(Actor.system, { ...bucket, fileId: file.id })
      yield* untilCopied(ref)
      yield* target.putExternally("file", new Uint8Array([6, 6, 6]))
      yield* tasks.abandon({ tasks: expired, now: yield* DateTime.now })
      yield* untilCopied(ref)
      expect(yield* target.names).toEqual([])
    })
  )

  test(
    "lease lost while it copies → the copy is interrupted, and the file is written again",
    Effect.gen(function* () {
      const { bucket, ref, target } = yield* createMirror()
      yield* upload(bucket, "file", "x")
      const block = yield* target.faults.block({ method: "write" })
      yield* startWorker({ lease: Duration.millis(60) })
      yield* block.reached
      const taken = yield* pollUntil(
        claim(yield* getStored(ref), Duration.hours(1), Duration.hours(1)),
        (tasks) => tasks.length > 0
      )
      yield* MirrorFixtures.succeed(taken, yield* DateTime.now)
      // The other worker has not written anything. The first one is interrupted, and its object is written again.
      yield* pollUntil(target.faults.countCalls("write"), (calls) => calls === 2)
      yield* block.release
      yield* untilCopied(ref)
      expect(yield* objectsAt(target)).toEqual(yield* expectedObjects(bucket))
    })
  )

  test(
    "copy takes longer than a lease → the lease is renewed, and no other worker can claim the task",
    Effect.gen(function* () {
      const { bucket, ref, target } = yield* createMirror()
      yield* upload(bucket, "file", "x")
      const block = yield* target.faults.block({ method: "write" })
      yield* startWorker({ lease: Duration.millis(300) })
      yield* block.reached
      const tasks = yield* MirrorTaskRepository
      const mirror = yield* getStored(ref)
      const start = yield* DateTime.now
      // Twice the lease.
      yield* pollUntil(DateTime.now, (now) => DateTime.toEpochMillis(now) - DateTime.toEpochMillis(start) > 600)
      expect(yield* claim(mirror, Duration.hours(1))).toEqual([])
      expect((yield* tasks.due({ after: "", limit: 10, now: yield* DateTime.now })).mirrors).toEqual([])
      yield* block.release
      yield* untilCopied(ref)
      expect(yield* target.faults.countCalls("write")).toBe(1)
    })
  )

  test(
    "metadata store fails while results are recorded → retried, each result recorded once",
    Effect.gen(function* () {
      const { bucket, ref, target } = yield* createMirror()
      yield* upload(bucket, "file", "x")
      yield* target.faults.failNext(1, "Unavailable")
      const tasks = yield* MirrorTaskRepository
      const calls: Array<string> = []
      const failOnce = new Set(["complete", "fail"])
      const observe =
        <Input>(name: "complete" | "abandon" | "fail", method: (input: Input) => Effect.Effect<void, MetadataError>) =>
        (input: Input) =>
          Effect.suspend(() => {
            calls.push(name)
            const error = new MetadataError({ operation: name, reason: "Unavailable" })
            return failOnce.delete(name) ? Effect.fail(error) : method(input)
          })
      const observed = MirrorTaskRepository.of({
        ...tasks,
        complete: observe("complete", tasks.complete),
        abandon: observe("abandon", tasks.abandon),
        fail: observe("fail", tasks.fail)
      })
      yield* Effect.provideService(startWorker(), MirrorTaskRepository, observed)
      yield* pollUntil(
        Effect.sync(() => calls),
        ({ length }) => length >= 4
      )
      expect(calls.slice(0, 4)).toEqual(["complete", "complete", "fail", "fail"])
      yield* untilCopied(ref)
      expect(calls).not.toContain("abandon")
    })
  )
})
