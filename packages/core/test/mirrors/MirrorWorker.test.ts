import { describe, expect } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import { Files } from "@holdfast/core/files/Files"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import { FileChangeNotifier } from "@holdfast/core/files/FileChangeNotifier"
import * as Statements from "@holdfast/testing/metadata/Statements"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MirrorScene from "@holdfast/testing/mirrors/MirrorScene"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { test, testClocked } from "./support/Setup.ts"

const { held, mirrored, record, reupload, settled, startWorker, until, upload, wanted } = MirrorScene
const forever = 1_000_000

/** Files of a bucket with a mirror. */
const scene = Effect.fnUntraced(function* (count: number) {
  const made = yield* mirrored()
  const names = Array.from({ length: count }, (_, index) => `file ${index}`)
  const files = yield* Effect.forEach(names, (name) => upload(made.bucket, name, name))
  return { ...made, files }
})

type Scene = Effect.Success<ReturnType<typeof scene>>

const expectEqual = Effect.fnUntraced(function* ({ bucket, ref, target }: Pick<Scene, "bucket" | "ref" | "target">) {
  const { state } = yield* settled(ref)
  expect(state).toBe("ACTIVE")
  expect(yield* held(target)).toEqual(yield* wanted(bucket))
  expect(yield* target.overlaps).toEqual([])
})

describe("the worker of mirrors", () => {
  test(
    "copies what a bucket holds when the mirror is made, and what it is changed into",
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      yield* Effect.forEach([1, 2, 3], (index) => upload(bucket, `before ${index}`, "x", { path: "/deep/ü/" }))
      const made = yield* mirrored(bucket)
      yield* startWorker()
      yield* expectEqual(made)
      yield* upload(bucket, "after", "y", { metadata: { author: "Zoë" } })
      yield* expectEqual(made)
      expect(yield* record(made.ref)).toMatchObject({ stats: { pending: 0, copied: 4, failed: 0, lagSeconds: 0 } })
    })
  )

  test(
    "ends with the last of many contents",
    Effect.gen(function* () {
      const made = yield* scene(1)
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
    "fails while the target is down, tells so, and catches up",
    Effect.gen(function* () {
      const made = yield* scene(5)
      yield* made.target.faults.failNext(forever, "Unavailable")
      yield* startWorker()
      const failing = yield* until(record(made.ref), ({ state }) => state === "FAILING")
      expect(failing.stats).toMatchObject({ pending: 5, copied: 0, failed: 0, lastError: "A fault was injected." })
      yield* until(made.target.faults.calls(), (calls) => calls > 12)
      yield* (yield* Files).remove(Actor.system, { ...made.bucket, fileId: made.files[0]?.id ?? "" })
      yield* made.target.faults.clear
      yield* expectEqual(made)
      expect((yield* record(made.ref)).stats.lastError).toBe(null)
    })
  )

  test(
    "is refused with a key that is no longer right, until it is given another",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const made = yield* scene(3)
      yield* made.target.demand("new")
      yield* startWorker({ minBackoff: Duration.hours(1), maxBackoff: Duration.hours(1) })
      const failing = yield* until(record(made.ref), ({ state }) => state === "FAILING")
      expect(failing.stats.lastError).toBe("The key is wrong.")
      const change = (secret: string) =>
        mirrors.update(Actor.system, made.ref, { secretAccessKey: Redacted.make(secret) })
      expect(yield* Effect.flip(change("also wrong"))).toMatchObject({
        _tag: "MirrorTargetUnreachable",
        reason: "Denied"
      })
      expect(yield* record(made.ref)).toMatchObject({ state: "FAILING" })
      expect(yield* change("new")).toMatchObject({ state: "ACTIVE" })
      yield* expectEqual(made)
    })
  )

  test(
    "is not held up in one mirror by others whose targets hang",
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const [dead, slow, good] = [yield* mirrored(bucket), yield* mirrored(bucket), yield* mirrored(bucket)]
      yield* dead.target.faults.failNext(forever, "Unavailable")
      const block = yield* slow.target.faults.block()
      yield* Effect.forEach(Array.from({ length: 30 }).keys(), (index) => upload(bucket, `file ${index}`, "x"))
      yield* startWorker({ concurrency: 4, slotsPerMirror: 3 })
      yield* expectEqual(good)
      expect((yield* record(slow.ref)).stats).toMatchObject({ pending: 30, copied: 0 })
      expect(yield* record(dead.ref)).toMatchObject({ state: "FAILING", stats: { pending: 30 } })
      yield* block.release
      yield* dead.target.faults.clear
      yield* expectEqual(slow)
      yield* expectEqual(dead)
    })
  )

  test(
    "tries few files of a target that is down, however busy it is with another one",
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const [dead, slow] = [yield* mirrored(bucket), yield* mirrored(bucket)]
      yield* dead.target.faults.failNext(forever, "Unavailable")
      const block = yield* slow.target.faults.block()
      yield* Effect.forEach(Array.from({ length: 100 }).keys(), (index) => upload(bucket, `file ${index}`, "x"))
      yield* startWorker({ concurrency: 8, slotsPerMirror: 4 })
      yield* until(record(dead.ref), ({ state }) => state === "FAILING")
      const sql = yield* SqlClient
      const tried = yield* sql`SELECT file_id FROM mirror_task WHERE mirror_id = ${dead.ref.mirrorId} AND attempts > 0`
      expect(tried.length).toBeLessThan(20)
      yield* block.release
    })
  )

  test(
    "takes no more files than it has places while they take long, so that other nodes find some",
    Effect.gen(function* () {
      const made = yield* scene(0)
      const block = yield* made.target.faults.block()
      yield* Effect.forEach(Array.from({ length: 20 }).keys(), (index) => upload(made.bucket, `file ${index}`, "x"))
      yield* startWorker({ concurrency: 8, slotsPerMirror: 3 })
      const sql = yield* SqlClient
      const held = sql`SELECT file_id FROM mirror_task WHERE mirror_id = ${made.ref.mirrorId} AND lease IS NOT NULL`
      yield* until(held, (rows) => rows.length === 3)
      // Another node takes what is left.
      yield* startWorker({ concurrency: 8, slotsPerMirror: 4 })
      yield* until(held, (rows) => rows.length === 7)
      yield* block.release
      yield* expectEqual(made)
    })
  )

  test(
    "is not held up by a file that the target cannot hold, and copies it once it can",
    Effect.gen(function* () {
      const made = yield* scene(4)
      const path = `/${"long/".repeat(204)}`
      const long = yield* upload(made.bucket, "n".repeat(20), "x", { path })
      yield* startWorker()
      const failed = yield* until(record(made.ref), ({ stats }) => stats.copied === 4 && stats.failed === 1)
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
    "goes on with others when nobody understands what is wrong with one",
    Effect.gen(function* () {
      const made = yield* scene(6)
      yield* made.target.faults.failNext(forever, "Internal", { method: "write", name: (name) => name === "file 0" })
      yield* startWorker()
      yield* until(record(made.ref), ({ stats }) => stats.copied === 5)
      yield* made.target.faults.clear
      yield* expectEqual(made)
    })
  )

  test(
    "goes on with others when the target is down for one alone",
    Effect.gen(function* () {
      const made = yield* scene(6)
      yield* made.target.faults.failNext(forever, "Unavailable", { name: (name) => name === "file 0" })
      yield* startWorker({ minBackoff: Duration.millis(50), maxBackoff: Duration.seconds(1) })
      const list = (yield* Mirrors).files(Actor.system, made.ref, { state: "FAILED" })
      yield* until(record(made.ref), ({ stats }) => stats.copied === 5)
      yield* until(list, ({ items }) => items.some(({ name }) => name === "file 0"))
      yield* made.target.faults.clear
      yield* expectEqual(made)
    })
  )

  test(
    "takes no file that the target cannot hold for a sign that it works again",
    Effect.gen(function* () {
      const made = yield* scene(3)
      const long = yield* upload(made.bucket, "n".repeat(20), "x", { path: `/${"long/".repeat(204)}` })
      yield* made.target.faults.failNext(forever, "Unavailable", { name: (name) => !name.startsWith("long/") })
      yield* startWorker({ minBackoff: Duration.millis(5), maxBackoff: Duration.millis(20) })
      const sql = yield* SqlClient
      const { mirrorId } = made.ref
      const since = sql`SELECT failing_since FROM mirror WHERE id = ${mirrorId} AND failing_since IS NOT NULL`
      const [first] = yield* until(since, (rows) => rows.length === 1)
      const tries = sql`SELECT attempts FROM mirror_task WHERE mirror_id = ${mirrorId} AND file_id = ${long.id}`
      yield* until(tries, (rows) => Number(rows[0]?.["attempts"]) >= 4)
      expect(yield* since).toEqual([first])
      yield* made.target.faults.clear
      yield* until(record(made.ref), ({ state, stats }) => state === "ACTIVE" && stats.copied === 3)
    })
  )

  test(
    "copies nothing while it is paused, and everything afterwards",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const made = yield* scene(2)
      const other = yield* scene(2)
      yield* mirrors.update(Actor.system, made.ref, { paused: true })
      yield* startWorker()
      yield* expectEqual(other)
      expect(yield* record(made.ref)).toMatchObject({ state: "PAUSED", stats: { pending: 2 } })
      expect(yield* made.target.names).toEqual([])
      yield* mirrors.update(Actor.system, made.ref, { paused: false })
      yield* expectEqual(made)
    })
  )

  test(
    "restores what strangers changed at the target, and leaves alone what is theirs",
    Effect.gen(function* () {
      const made = yield* scene(4)
      yield* startWorker()
      yield* expectEqual(made)
      const foreign = new Uint8Array([1])
      yield* made.target.uproot("file 0")
      yield* made.target.plant("file 1", foreign)
      yield* made.target.plant("theirs", foreign)
      const writes = yield* made.target.faults.calls("write")
      yield* (yield* Mirrors).sync(Actor.system, made.ref)
      const ours = Effect.map(held(made.target), (shown) => shown.filter(({ name }) => name !== "theirs"))
      const right = JSON.stringify(yield* wanted(made.bucket))
      yield* until(ours, (shown) => JSON.stringify(shown) === right)
      expect(yield* made.target.names).toContain("theirs")
      expect(yield* made.target.faults.calls("write")).toBe(writes + 2)
    })
  )

  test(
    "reconciliation: objects left by checks → removed, but not those of files",
    Effect.gen(function* () {
      const made = yield* scene(2)
      const left = ".holdfast-check-0aa1fe85-9ad7-4533-b309-006a726f615c"
      const own = ".holdfast-check-1bb2fe85-9ad7-4533-b309-006a726f615c"
      yield* upload(made.bucket, own, "a file")
      yield* startWorker()
      yield* expectEqual(made)
      yield* made.target.plant(TargetCheck.objectName, new Uint8Array([1]))
      yield* made.target.plant(left, new Uint8Array([1]))
      yield* made.target.plant(".holdfast-check-of-another-deployment", new Uint8Array([1]))
      yield* (yield* Mirrors).sync(Actor.system, made.ref)
      yield* until(record(made.ref), ({ stats }) => !stats.comparing)
      expect(yield* made.target.names).toEqual([own, ".holdfast-check-of-another-deployment", "file 0", "file 1"])
    })
  )

  test(
    "mirror that fails: object left by a check → removed when the target works again",
    Effect.gen(function* () {
      const made = yield* scene(3)
      yield* made.target.faults.failNext(forever, "Unavailable")
      yield* startWorker()
      yield* until(record(made.ref), ({ state }) => state === "FAILING")
      yield* made.target.plant(TargetCheck.objectName, new Uint8Array([1]))
      yield* made.target.faults.clear
      yield* expectEqual(made)
    })
  )

  test(
    "file with the name of the check's object: → FAILED, and copied once it has another name",
    Effect.gen(function* () {
      const made = yield* scene(1)
      const file = yield* upload(made.bucket, TargetCheck.objectName, "x")
      yield* startWorker()
      const failed = yield* until(record(made.ref), ({ stats }) => stats.copied === 1 && stats.failed === 1)
      expect(failed.state).toBe("ACTIVE")
      expect(failed.stats.lastError).toContain("reserved")
      yield* (yield* Files).update(Actor.system, { ...made.bucket, fileId: file.id }, { name: "renamed" })
      yield* expectEqual(made)
    })
  )

  test(
    "leaves the copies of a bucket that is removed, and nothing here",
    Effect.gen(function* () {
      const made = yield* scene(3)
      yield* startWorker()
      yield* expectEqual(made)
      yield* (yield* Buckets).remove(Actor.system, made.bucket, { force: true })
      const other = yield* scene(1)
      yield* expectEqual(other)
      expect(yield* made.target.names).toEqual(["file 0", "file 1", "file 2"])
      expect(yield* Effect.flip(record(made.ref))).toMatchObject({ _tag: "NotFound" })
    })
  )

  test(
    "is woken by what is written here",
    Effect.gen(function* () {
      const signal = yield* FileChangeNotifier
      const made = yield* scene(1)
      yield* startWorker({ pollInterval: Duration.hours(1) })
      yield* expectEqual(made)
      yield* upload(made.bucket, "new", "x")
      yield* signal.notify(made.bucket.bucketId)
      yield* expectEqual(made)
    })
  )

  testClocked(
    "asks the database one question each time that it looks, when there is nothing to do",
    Effect.gen(function* () {
      const bucket = yield* Fixtures.bucket()
      const signal = yield* FileChangeNotifier
      const statements = yield* Statements.record(
        Effect.scoped(
          Effect.gen(function* () {
            yield* startWorker({ pollInterval: Duration.seconds(2) })
            // A bucket without mirrors costs one look in ten seconds.
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
