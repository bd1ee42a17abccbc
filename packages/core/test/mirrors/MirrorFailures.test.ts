import { describe, expect } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { MetadataError } from "@holdfast/core/MetadataError"
import { Files } from "@holdfast/core/files/Files"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as TargetCheck from "@holdfast/core/mirrors/targets/TargetCheck"
import type { TaskResult } from "@holdfast/core/mirrors/worker/MirrorTask"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { createWithFiles, expectCopied } from "./support/CopiedFiles.ts"
import { test } from "./support/MirrorTest.ts"

const { createMirror, getRecord, pollUntil, startWorker, upload } = MirrorHarness

/** A number of failures that no test reaches. */
const always = 1_000_000

describe("mirror worker: failures", () => {
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
      yield* expectCopied(made)
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
      yield* expectCopied(made)
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
      yield* expectCopied(good)
      expect((yield* getRecord(slow.ref)).stats).toMatchObject({ pending: 30, copied: 0 })
      const failing = yield* pollUntil(getRecord(down.ref), ({ state }) => state === "FAILING")
      expect(failing.stats).toMatchObject({ pending: 30 })
      yield* block.release
      yield* down.target.faults.clear
      yield* expectCopied(slow)
      yield* expectCopied(down)
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
      yield* expectCopied(made)
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
      yield* expectCopied(made)
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
      yield* expectCopied(made)
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
    "failing mirror: object left by a check → removed when the target works again",
    Effect.gen(function* () {
      const made = yield* createWithFiles(3)
      yield* made.target.faults.failNext(always, "Unavailable")
      yield* startWorker()
      yield* pollUntil(getRecord(made.ref), ({ state }) => state === "FAILING")
      yield* made.target.putExternally(TargetCheck.objectName, new Uint8Array([1]))
      yield* made.target.faults.clear
      yield* expectCopied(made)
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
      yield* expectCopied(made)
    })
  )

  for (const [kind, tag] of [
    ["NUL", "1\0"],
    ["a lone surrogate", "1\ud800"],
    ["257 characters", "1".repeat(257)]
  ] as const) {
    test(
      `target returns a tag with ${kind} → the files fail, and other mirrors are copied`,
      Effect.gen(function* () {
        const [bad, good] = [yield* createWithFiles(3), yield* createWithFiles(3)]
        yield* bad.target.setTag(tag)
        yield* startWorker()
        yield* expectCopied(good)
        const { stats } = yield* pollUntil(getRecord(bad.ref), ({ stats }) => stats.failed > 0)
        expect(stats).toMatchObject({ copied: 0, lastError: expect.stringContaining("printable ASCII") })
        yield* bad.target.setTag("1")
        yield* pollUntil(getRecord(bad.ref), ({ stats }) => stats.copied === 3)
      })
    )
  }

  test(
    "result that cannot be recorded → the others of its batch are recorded, and its file fails",
    Effect.gen(function* () {
      const [bad, good] = [yield* createWithFiles(1), yield* createWithFiles(5)]
      yield* bad.target.setTag("poisoned")
      const tasks = yield* MirrorTaskRepository
      const isPoisoned = ({ written }: TaskResult) => written?.tag === "poisoned"
      const batches: Array<number> = []
      const complete: typeof tasks.complete = (input) => {
        if (!input.results.some(isPoisoned)) return tasks.complete(input)
        batches.push(input.results.length)
        return Effect.fail(new MetadataError({ reason: "Internal", operation: "mirrors.complete" }))
      }
      // So that the results are in one batch.
      const block = yield* good.target.faults.block({ method: "write" })
      const badBlock = yield* bad.target.faults.block({ method: "write" })
      yield* Effect.provideService(startWorker(), MirrorTaskRepository, { ...tasks, complete })
      yield* block.reached
      yield* badBlock.reached
      yield* block.release
      yield* badBlock.release
      yield* expectCopied(good)
      const { state, stats } = yield* pollUntil(getRecord(bad.ref), ({ stats }) => stats.failed === 1)
      expect(state).toBe("ACTIVE")
      expect(stats.lastError).toBe("The result of the copy could not be recorded.")
      expect(batches).toContain(1)
    })
  )

  test(
    "listing with a name that no file can have → the reconciliation completes",
    Effect.gen(function* () {
      const made = yield* createWithFiles(2)
      yield* startWorker()
      yield* expectCopied(made)
      yield* made.target.putExternally("a\0b", new Uint8Array([1]))
      yield* made.target.putExternally("c\ud800", new Uint8Array([1]))
      yield* made.target.removeExternally("file 1")
      yield* (yield* Mirrors).sync(Actor.system, made.ref)
      yield* pollUntil(made.target.names, (names) => names.includes("file 1"))
      yield* pollUntil(getRecord(made.ref), ({ stats }) => !stats.comparing)
    })
  )
})
