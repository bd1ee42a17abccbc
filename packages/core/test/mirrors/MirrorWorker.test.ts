import { describe, expect } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import { FileChangeNotifier } from "@holdfast/core/files/FileChangeNotifier"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as Statements from "@holdfast/testing/metadata/Statements"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { createWithFiles, expectCopied } from "./support/CopiedFiles.ts"
import { test, testClocked } from "./support/MirrorTest.ts"

const { createMirror, getRecord, objectsAt, expectedObjects, pollUntil, reupload, startWorker, upload } = MirrorHarness

describe("mirror worker", () => {
  test(
    "mirror created, then files changed → the target equals the bucket each time",
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      yield* Effect.forEach([1, 2, 3], (index) => upload(bucket, `before ${index}`, "x", { path: "/deep/ü/" }))
      const made = yield* createMirror(bucket)
      yield* startWorker()
      yield* expectCopied(made)
      yield* upload(bucket, "after", "y", { metadata: { author: "Zoë" } })
      yield* expectCopied(made)
      expect(yield* getRecord(made.ref)).toMatchObject({ stats: { pending: 0, copied: 4, failed: 0, lagSeconds: 0 } })
    })
  )

  test(
    "file overwritten 60 times while it is copied → the target has the last content",
    Effect.gen(function* () {
      const made = yield* createWithFiles(1)
      yield* startWorker()
      const file = made.files[0]?.id ?? ""
      for (let index = 0; index < 60; index++) {
        yield* reupload(made.bucket, file, `content ${index}`)
        if (index % 7 === 0) yield* Effect.sleep("2 millis")
      }
      yield* expectCopied(made)
    })
  )

  test(
    "slow copies → claims no more tasks than it has slots, so that other nodes find some",
    Effect.gen(function* () {
      const made = yield* createWithFiles(0)
      const block = yield* made.target.faults.block()
      yield* Effect.forEach(Array.from({ length: 20 }).keys(), (index) => upload(made.bucket, `file ${index}`, "x"))
      yield* startWorker({ concurrency: 8, slotsPerMirror: 3 })
      const sql = yield* SqlClient
      const leased = sql`SELECT file_id FROM mirror_task WHERE mirror_id = ${made.ref.mirrorId} AND lease IS NOT NULL`
      yield* pollUntil(leased, (rows) => rows.length === 3)
      // Another node claims the rest.
      yield* startWorker({ concurrency: 8, slotsPerMirror: 4 })
      yield* pollUntil(leased, (rows) => rows.length === 7)
      yield* block.release
      yield* expectCopied(made)
    })
  )

  test(
    "mirror paused → nothing copied; resumed → everything copied",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const made = yield* createWithFiles(2)
      const other = yield* createWithFiles(2)
      yield* mirrors.update(Actor.system, made.ref, { paused: true })
      yield* startWorker()
      yield* expectCopied(other)
      expect(yield* getRecord(made.ref)).toMatchObject({ state: "PAUSED", stats: { pending: 2 } })
      expect(yield* made.target.names).toEqual([])
      yield* mirrors.update(Actor.system, made.ref, { paused: false })
      yield* expectCopied(made)
    })
  )

  test(
    "reconciliation: copies changed or removed by other programs → restored; their own objects → unchanged",
    Effect.gen(function* () {
      const made = yield* createWithFiles(4)
      yield* startWorker()
      yield* expectCopied(made)
      const foreign = new Uint8Array([1])
      yield* made.target.removeExternally("file 0")
      yield* made.target.putExternally("file 1", foreign)
      yield* made.target.putExternally("foreign", foreign)
      const writes = yield* made.target.faults.countCalls("write")
      yield* (yield* Mirrors).sync(Actor.system, made.ref)
      const ours = Effect.map(objectsAt(made.target), (shown) => shown.filter(({ name }) => name !== "foreign"))
      const right = JSON.stringify(yield* expectedObjects(made.bucket))
      yield* pollUntil(ours, (shown) => JSON.stringify(shown) === right)
      expect(yield* made.target.names).toContain("foreign")
      expect(yield* made.target.faults.countCalls("write")).toBe(writes + 2)
    })
  )

  test(
    "reconciliation: objects left by checks → removed, but not those of files",
    Effect.gen(function* () {
      const made = yield* createWithFiles(2)
      const left = ".holdfast-check-0aa1fe85-9ad7-4533-b309-006a726f615c"
      const own = ".holdfast-check-1bb2fe85-9ad7-4533-b309-006a726f615c"
      yield* upload(made.bucket, own, "a file")
      yield* startWorker()
      yield* expectCopied(made)
      yield* made.target.putExternally(TargetCheck.objectName, new Uint8Array([1]))
      yield* made.target.putExternally(left, new Uint8Array([1]))
      yield* made.target.putExternally(".holdfast-check-of-another-deployment", new Uint8Array([1]))
      yield* (yield* Mirrors).sync(Actor.system, made.ref)
      yield* pollUntil(getRecord(made.ref), ({ stats }) => !stats.comparing)
      expect(yield* made.target.names).toEqual([own, ".holdfast-check-of-another-deployment", "file 0", "file 1"])
    })
  )

  test(
    "bucket removed → the copies stay at the target, the mirror is not found",
    Effect.gen(function* () {
      const made = yield* createWithFiles(3)
      yield* startWorker()
      yield* expectCopied(made)
      yield* (yield* Buckets).remove(Actor.system, made.bucket, { force: true })
      const other = yield* createWithFiles(1)
      yield* expectCopied(other)
      expect(yield* made.target.names).toEqual(["file 0", "file 1", "file 2"])
      expect(yield* Effect.flip(getRecord(made.ref))).toMatchObject({ _tag: "NotFound" })
    })
  )

  test(
    "notifier: file written in this process → copied without waiting for the next poll",
    Effect.gen(function* () {
      const signal = yield* FileChangeNotifier
      const made = yield* createWithFiles(1)
      yield* startWorker({ pollInterval: Duration.hours(1) })
      yield* expectCopied(made)
      yield* upload(made.bucket, "new", "x")
      yield* signal.notify(made.bucket.bucketId)
      yield* expectCopied(made)
    })
  )

  testClocked(
    "nothing to do → one statement per poll, and one in ten seconds for changes of a bucket without mirrors",
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const signal = yield* FileChangeNotifier
      const statements = yield* Statements.record(
        Effect.scoped(
          Effect.gen(function* () {
            yield* startWorker({ pollInterval: Duration.seconds(2) })
            // Changes in a bucket without mirrors wake the worker once in ten seconds.
            for (let second = 0; second < 20; second++) {
              yield* signal.notify(bucket.bucketId)
              yield* TestClock.adjust("1 second")
            }
          })
        )
      )
      expect(statements.length).toBeGreaterThan(5)
      expect(statements.length).toBeLessThanOrEqual(10 + 1 + 2)
    })
  )
})
