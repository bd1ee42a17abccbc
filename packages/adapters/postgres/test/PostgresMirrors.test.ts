import { expect, layer } from "@effect/vitest"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as MirrorConvergence from "@holdfast/testing/mirrors/MirrorConvergence"
import * as MirrorHarness from "@holdfast/testing/mirrors/MirrorHarness"
import { requires } from "@holdfast/testing/Requires"
import * as Postgres from "@holdfast/testing/servers/Postgres"
import * as Effect from "effect/Effect"
import * as Store from "./support/Store.ts"

const { createMirror, getRecord, pollUntil, startWorker, untilCopied, upload } = MirrorHarness

/** Creates a mirror with a file in its bucket. */
const createWithFile = Effect.gen(function* () {
  const made = yield* createMirror()
  yield* upload(made.bucket, "file", "x")
  return made
})

requires(Postgres.missing).describe("PostgreSQL", () => {
  MirrorConvergence.suite("mirrors", Store.layer("en_US.UTF-8"), { runs: 8 })

  layer(MirrorHarness.layer(Store.layer("C.UTF-8")), { excludeTestServices: true, timeout: "1 minute" })(
    "values that PostgreSQL does not store",
    (it) => {
      it.effect.each(["1\0", "1\ud800"])(
        "tag of a target, %# → its files fail, those of other mirrors are copied",
        (tag) =>
          Effect.gen(function* () {
            const [bad, good] = [yield* createWithFile, yield* createWithFile]
            yield* bad.target.setTag(tag)
            yield* startWorker()
            yield* untilCopied(good.ref)
            yield* pollUntil(getRecord(bad.ref), ({ stats }) => stats.failed === 1)
          })
      )

      it.effect("result with such a value → those of its batch are recorded, and its file fails", () =>
        Effect.gen(function* () {
          const [bad, good] = [yield* createWithFile, yield* createWithFile]
          yield* bad.target.setTag("poisoned")
          const tasks = yield* MirrorTaskRepository
          const complete: typeof tasks.complete = ({ now, results }) =>
            tasks.complete({
              now,
              results: results.map((result) =>
                result.written?.tag === "poisoned" ? { ...result, written: { ...result.written, tag: "\0" } } : result
              )
            })
          const blocks = [yield* bad.target.faults.block(), yield* good.target.faults.block()]
          yield* Effect.provideService(startWorker(), MirrorTaskRepository, { ...tasks, complete })
          yield* Effect.forEach(blocks, ({ reached }) => reached)
          yield* Effect.forEach(blocks, ({ release }) => release)
          yield* untilCopied(good.ref)
          const { stats } = yield* pollUntil(getRecord(bad.ref), ({ stats }) => stats.failed === 1)
          expect(stats.lastError).toBe("The result of the copy could not be recorded.")
        })
      )
    }
  )
})
