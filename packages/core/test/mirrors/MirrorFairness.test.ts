import { describe, expect } from "@effect/vitest"
import * as Actor from "@holdfast/core/Actor"
import { Mirrors } from "@holdfast/core/mirrors/Mirrors"
import * as Fixtures from "@holdfast/testing/metadata/Fixtures"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import * as MemoryTargets from "@holdfast/testing/mirrors/MemoryTargets"
import * as Sample from "@holdfast/testing/metadata/Sample"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { createWithFiles, expectCopied } from "./support/CopiedFiles.ts"
import { test } from "./support/MirrorTest.ts"

const { createMirror, pollUntil, startWorker, upload } = MirrorHarness

/** Creates a bucket with this many mirrors, whose targets do not respond from then on. */
const createStalled = Effect.fnUntraced(function* (count: number) {
  const bucket = yield* Fixtures.bucket()
  const stalled = yield* Effect.forEach(Array.from({ length: count }), () => createMirror(bucket))
  const blocks = yield* Effect.forEach(stalled, ({ target }) => target.faults.block())
  yield* Effect.forEach([1, 2, 3], (index) => upload(bucket, `file ${index}`, "x"))
  return { stalled, blocks }
})

describe("mirrors of several tenants", () => {
  test(
    "24 mirrors of a tenant to targets that do not respond → those of other tenants are copied meanwhile",
    Effect.gen(function* () {
      const { blocks, stalled } = yield* createStalled(24)
      yield* startWorker({ concurrency: 16, slotsPerMirror: 8 })
      // All the slots that one tenant may have are waiting for a target.
      yield* pollUntil(
        Effect.map(
          Effect.forEach(stalled, ({ target }) => target.faults.countCalls("write")),
          (calls) => calls.reduce((sum, count) => sum + count, 0)
        ),
        (calls) => calls === 12
      )
      for (let tenant = 0; tenant < 3; tenant++) yield* expectCopied(yield* createWithFiles(10))
      yield* Effect.forEach(blocks, ({ release }) => release, { discard: true })
      yield* Effect.forEach(stalled, expectCopied, { discard: true })
    })
  )

  test(
    "50 tenants with targets that do not respond, one of them creates ever more mirrors → other tenants are copied meanwhile",
    Effect.gen(function* () {
      yield* Effect.forEach(Array.from({ length: 50 }), () => createStalled(2), { discard: true })
      yield* startWorker({ concurrency: 16, slotsPerMirror: 8, minBackoff: Duration.seconds(1) })
      const bucket = yield* Fixtures.bucket()
      yield* upload(bucket, "file", "x")
      yield* createMirror(bucket).pipe(
        Effect.flatMap(({ target }) => target.faults.block()),
        Effect.delay("100 millis"),
        Effect.forever,
        Effect.forkScoped
      )
      for (let tenant = 0; tenant < 3; tenant++) {
        const made = yield* createWithFiles(10)
        yield* expectCopied(made).pipe(Effect.timeout("30 seconds"))
        // Its target is known to respond by now.
        yield* upload(made.bucket, "another", "x")
        yield* expectCopied(made).pipe(Effect.timeout("15 seconds"))
      }
    })
  )

  test(
    "many reconciliations of a tenant with targets that do not respond → another tenant's runs meanwhile",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const other = yield* createWithFiles(2)
      const stalled = yield* Effect.forEach([1, 2, 3, 4], () => createMirror(other.bucket))
      yield* startWorker({ reconciliations: 3, reconciliationsPerTenant: 2 })
      yield* expectCopied(other)
      yield* Effect.forEach(stalled, expectCopied, { discard: true })
      const blocks = yield* Effect.forEach(stalled, ({ target }) => target.faults.block({ method: "list" }))
      yield* Effect.forEach(stalled, ({ ref }) => mirrors.sync(Actor.system, ref), { discard: true })
      const neighbour = yield* createWithFiles(1)
      yield* expectCopied(neighbour)
      yield* mirrors.sync(Actor.system, neighbour.ref)
      yield* pollUntil(MirrorHarness.getRecord(neighbour.ref), ({ stats }) => !stats.comparing)
      const listings = yield* Effect.forEach(stalled, ({ target }) => target.faults.countCalls("list"))
      expect(listings.filter((count) => count > 0)).toHaveLength(2)
      yield* Effect.forEach(blocks, ({ release }) => release, { discard: true })
      yield* Effect.forEach(
        stalled,
        ({ ref }) => pollUntil(MirrorHarness.getRecord(ref), ({ stats }) => !stats.comparing),
        { discard: true }
      )
    })
  )

  test(
    "create: more checks of a tenant at once than permitted → Unavailable; those of another tenant run",
    Effect.gen(function* () {
      const mirrors = yield* Mirrors
      const targets = yield* MemoryTargets.MemoryTargets
      const bucket = yield* Fixtures.bucket()
      const bucketName = Sample.word()
      const create = (to: typeof bucket, bucketName: string) =>
        mirrors.create(Actor.system, to, MirrorHarness.inputFor(bucketName))
      const target = yield* targets.get(bucketName)
      const block = yield* target.faults.block()
      const running = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(create(bucket, bucketName)))
      yield* pollUntil(target.faults.countCalls("check"), (count) => count === 4)
      expect(yield* Effect.flip(create(bucket, bucketName))).toMatchObject({
        _tag: "MirrorTargetUnreachable",
        reason: "Unavailable",
        detail: "Four checks of targets of this tenant are running. Retry when they have ended."
      })
      yield* create(yield* Fixtures.bucket(), Sample.word())
      yield* block.release
      yield* Effect.forEach(running, Fiber.join, { discard: true })
      yield* create(bucket, bucketName)
    })
  )
})
