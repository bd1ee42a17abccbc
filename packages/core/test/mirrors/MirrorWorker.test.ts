import { describe, expect } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import { Files } from "@holdfast/core/files/Files"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import { FileChangeNotifier } from "@holdfast/core/files/FileChangeNotifier"
import * as Statements from "@holdfast/testing/metadata/Statements"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { test, testClocked } from "./support/MirrorTest.ts"

const { createMirror, expectedObjects, getRecord, objectsAt, pollUntil, reupload, startWorker, untilCopied, upload } =
  MirrorHarness
/** A number of failures that no test reaches. */
const always = 1_000_000

/** Creates a mirror, and this many files in its bucket. */
const createWithFiles = Effect.fnUntraced(function* (count: number) {
  const made = yield* createMirror()
  const names = Array.from({ length: count }, (_, index) => `file ${index}`)
  const files = yield* Effect.forEach(names, (name) => upload(made.bucket, name, name))
  return { ...made, files }
})

type Created = Effect.Success<ReturnType<typeof createWithFiles>>

/** Waits until the mirror has copied everything, and checks the target. */
const expectEqual = Effect.fnUntraced(function* ({ bucket, ref, target }: Pick<Created, "bucket" | "ref" | "target">) {
  const { state } = yield* untilCopied(ref)
  expect(state).toBe("ACTIVE")
  expect(yield* objectsAt(target)).toEqual(yield* expectedObjects(bucket))
  expect(yield* target.overlaps).toEqual([])
})

describe("mirror worker", () => {
  test(
    "mirror created, then files changed → the target equals the bucket each time",
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      yield* Effect.forEach([1, 2, 3], (index) => upload(bucket, `before ${index}`, "x", { path: "/deep/ü/" }))
      const made = yield* createMirror(bucket)
      yield* startWorker()
      yield* expectEqual(made)
      yield* upload(bucket, "after", "y", { metadata: { author: "Zoë" } })
      yield* expectEqual(made)
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
      yield* expectEqual(made)
    })
  )

  test(
    "target down → FAILING with its error; up again → everything copied",
    Effect.gen(function* () {
      const made = yield* createWithFiles(5)
      yield* made.target.faults.failNext(always, "Unavailable")
      yield* startWorker()
      const failing = yield* pollUntil(getRecord(made.ref), ({ state }) => state === "FAILING")
      expect(failing.stats).toMatchObject({ pending: 5, copied: 0, failed: 0, lastError: "A fault was injected." })
      yield* pollUntil(made.target.faults.countCalls(), (calls) => calls > 12)
      yield* (yield* Files).remove(Actor.system, { ...made.bucket, fileId: made.files[0]?.id ?? "" })
      yield* made.target.faults.clear
      yield* expectEqual(made)
      expect((yield* getRecord(made.ref)).stats.lastError).toBe(null)
    })
  )

  test(
    "key no longer accepted → FAILING, until the mirror has another key",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const made = yield* createWithFiles(3)
      yield* made.target.requireSecret("new")
      yield* startWorker({ minBackoff: Duration.hours(1), maxBackoff: Duration.hours(1) })
      const failing = yield* pollUntil(getRecord(made.ref), ({ state }) => state === "FAILING")
      expect(failing.stats.lastError).toBe("The key is wrong.")
      const change = (secret: string) =>
        mirrors.update(Actor.system, made.ref, { secretAccessKey: Redacted.make(secret) })
      expect(yield* Effect.flip(change("also wrong"))).toMatchObject({
        _tag: "MirrorTargetUnreachable",
        reason: "Denied"
      })
      expect(yield* getRecord(made.ref)).toMatchObject({ state: "FAILING" })
      expect(yield* change("new")).toMatchObject({ state: "ACTIVE" })
      yield* expectEqual(made)
    })
  )

  test(
    "targets of other mirrors down or hanging → a third mirror is copied without delay",
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const [down, slow, good] = [yield* createMirror(bucket), yield* createMirror(bucket), yield* createMirror(bucket)]
      yield* down.target.faults.failNext(always, "Unavailable")
      const block = yield* slow.target.faults.block()
      yield* Effect.forEach(Array.from({ length: 30 }).keys(), (index) => upload(bucket, `file ${index}`, "x"))
      yield* startWorker({ concurrency: 4, slotsPerMirror: 3 })
      yield* expectEqual(good)
      expect((yield* getRecord(slow.ref)).stats).toMatchObject({ pending: 30, copied: 0 })
      expect(yield* getRecord(down.ref)).toMatchObject({ state: "FAILING", stats: { pending: 30 } })
      yield* block.release
      yield* down.target.faults.clear
      yield* expectEqual(slow)
      yield* expectEqual(down)
    })
  )

  test(
    "target down, another one slow → few attempts at the target that is down",
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const [down, slow] = [yield* createMirror(bucket), yield* createMirror(bucket)]
      yield* down.target.faults.failNext(always, "Unavailable")
      const block = yield* slow.target.faults.block()
      yield* Effect.forEach(Array.from({ length: 100 }).keys(), (index) => upload(bucket, `file ${index}`, "x"))
      yield* startWorker({ concurrency: 8, slotsPerMirror: 4 })
      yield* pollUntil(getRecord(down.ref), ({ state }) => state === "FAILING")
      const sql = yield* SqlClient
      const tried = yield* sql`SELECT file_id FROM mirror_task WHERE mirror_id = ${down.ref.mirrorId} AND attempts > 0`
      expect(tried.length).toBeLessThan(20)
      yield* block.release
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
      yield* expectEqual(made)
    })
  )

  test(
    "name too long for the target → that file FAILED, others copied; renamed → copied",
    Effect.gen(function* () {
      const made = yield* createWithFiles(4)
      const path = `/${"long/".repeat(204)}`
      const long = yield* upload(made.bucket, "n".repeat(20), "x", { path })
      yield* startWorker()
      const failed = yield* pollUntil(getRecord(made.ref), ({ stats }) => stats.copied === 4 && stats.failed === 1)
      expect(failed).toMatchObject({ state: "ACTIVE", stats: { pending: 1, lastError: "The name is too long." } })
      const list = (yield* Mirrors).files(Actor.system, made.ref, { state: "FAILED" })
      expect((yield* list).items).toMatchObject([
        { fileId: long.id, path, state: "FAILED", error: "The name is too long." }
      ])
      yield* (yield* Files).update(Actor.system, { ...made.bucket, fileId: long.id }, { path: "/short/" })
      yield* expectEqual(made)
      expect((yield* list).items).toEqual([])
    })
  )

  test(
    "unknown error for one file → the others are copied",
    Effect.gen(function* () {
      const made = yield* createWithFiles(6)
      yield* made.target.faults.failNext(always, "Internal", { method: "write", name: (name) => name === "file 0" })
      yield* startWorker()
      yield* pollUntil(getRecord(made.ref), ({ stats }) => stats.copied === 5)
      yield* made.target.faults.clear
      yield* expectEqual(made)
    })
  )

  test(
    "target unavailable for one file only → that file FAILED, others copied",
    Effect.gen(function* () {
      const made = yield* createWithFiles(6)
      yield* made.target.faults.failNext(always, "Unavailable", { name: (name) => name === "file 0" })
      yield* startWorker({ minBackoff: Duration.millis(50), maxBackoff: Duration.seconds(1) })
      const list = (yield* Mirrors).files(Actor.system, made.ref, { state: "FAILED" })
      yield* pollUntil(getRecord(made.ref), ({ stats }) => stats.copied === 5)
      yield* pollUntil(list, ({ items }) => items.some(({ name }) => name === "file 0"))
      yield* made.target.faults.clear
      yield* expectEqual(made)
    })
  )

  test(
    "target down, probe of a file with an invalid name → the mirror does not recover",
    Effect.gen(function* () {
      const made = yield* createWithFiles(3)
      const long = yield* upload(made.bucket, "n".repeat(20), "x", { path: `/${"long/".repeat(204)}` })
      yield* made.target.faults.failNext(always, "Unavailable", { name: (name) => !name.startsWith("long/") })
      yield* startWorker({ minBackoff: Duration.millis(5), maxBackoff: Duration.millis(20) })
      const sql = yield* SqlClient
      const { mirrorId } = made.ref
      const since = sql`SELECT failing_since FROM mirror WHERE id = ${mirrorId} AND failing_since IS NOT NULL`
      const [first] = yield* pollUntil(since, (rows) => rows.length === 1)
      const tries = sql`SELECT attempts FROM mirror_task WHERE mirror_id = ${mirrorId} AND file_id = ${long.id}`
      yield* pollUntil(tries, (rows) => Number(rows[0]?.["attempts"]) >= 4)
      expect(yield* since).toEqual([first])
      yield* made.target.faults.clear
      yield* pollUntil(getRecord(made.ref), ({ state, stats }) => state === "ACTIVE" && stats.copied === 3)
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
      yield* expectEqual(other)
      expect(yield* getRecord(made.ref)).toMatchObject({ state: "PAUSED", stats: { pending: 2 } })
      expect(yield* made.target.names).toEqual([])
      yield* mirrors.update(Actor.system, made.ref, { paused: false })
      yield* expectEqual(made)
    })
  )

  test(
    "reconciliation: copies changed or removed by other programs → restored; their own objects → unchanged",
    Effect.gen(function* () {
      const made = yield* createWithFiles(4)
      yield* startWorker()
      yield* expectEqual(made)
      const foreign = new Uint8Array([1])
      yield* made.target.removeExternally("file 0")
      yield* made.target.putExternally("file 1", foreign)
      yield* made.target.putExternally("theirs", foreign)
      const writes = yield* made.target.faults.countCalls("write")
      yield* (yield* Mirrors).sync(Actor.system, made.ref)
      const ours = Effect.map(objectsAt(made.target), (shown) => shown.filter(({ name }) => name !== "theirs"))
      const right = JSON.stringify(yield* expectedObjects(made.bucket))
      yield* pollUntil(ours, (shown) => JSON.stringify(shown) === right)
      expect(yield* made.target.names).toContain("theirs")
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
      yield* expectEqual(made)
      yield* made.target.putExternally(TargetCheck.objectName, new Uint8Array([1]))
      yield* made.target.putExternally(left, new Uint8Array([1]))
      yield* made.target.putExternally(".holdfast-check-of-another-deployment", new Uint8Array([1]))
      yield* (yield* Mirrors).sync(Actor.system, made.ref)
      yield* pollUntil(getRecord(made.ref), ({ stats }) => !stats.comparing)
      expect(yield* made.target.names).toEqual([own, ".holdfast-check-of-another-deployment", "file 0", "file 1"])
    })
  )

  test(
    "failing mirror: object left by a check → removed when the target works again",
    Effect.gen(function* () {
      const made = yield* createWithFiles(3)
      yield* made.target.faults.failNext(always, "Unavailable")
      yield* startWorker()
      yield* pollUntil(getRecord(made.ref), ({ state }) => state === "FAILING")
      yield* made.target.putExternally(TargetCheck.objectName, new Uint8Array([1]))
      yield* made.target.faults.clear
      yield* expectEqual(made)
    })
  )

  test(
    "file with the name of the check object → FAILED; renamed → copied",
    Effect.gen(function* () {
      const made = yield* createWithFiles(1)
      const file = yield* upload(made.bucket, TargetCheck.objectName, "x")
      yield* startWorker()
      const failed = yield* pollUntil(getRecord(made.ref), ({ stats }) => stats.copied === 1 && stats.failed === 1)
      expect(failed.state).toBe("ACTIVE")
      expect(failed.stats.lastError).toContain("reserved")
      yield* (yield* Files).update(Actor.system, { ...made.bucket, fileId: file.id }, { name: "renamed" })
      yield* expectEqual(made)
    })
  )

  test(
    "bucket removed → the copies stay at the target, the mirror is not found",
    Effect.gen(function* () {
      const made = yield* createWithFiles(3)
      yield* startWorker()
      yield* expectEqual(made)
      yield* (yield* Buckets).remove(Actor.system, made.bucket, { force: true })
      const other = yield* createWithFiles(1)
      yield* expectEqual(other)
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
      yield* expectEqual(made)
      yield* upload(made.bucket, "new", "x")
      yield* signal.notify(made.bucket.bucketId)
      yield* expectEqual(made)
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
