import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Thread from "../src/internal/threads/Thread.ts"
import * as Temporary from "./support/Temporary.ts"

/** A thread that ends soon when it is not used. A temporary table is in its connection only. */
const start = Effect.gen(function* () {
  const file = yield* Temporary.file
  const thread = yield* Effect.acquireRelease(
    Effect.sync(() => Thread.make({ file, isReader: false }, 20)),
    ({ close }) => close
  )
  const run = (sql: string) => thread.run("fresh", sql, [])
  yield* run("CREATE TABLE kept (n integer)")
  yield* run("CREATE TEMP TABLE own (n integer)")
  const untilEnded = Effect.repeat(Effect.result(run("SELECT n FROM own")), {
    schedule: Schedule.spaced("40 millis"),
    until: (result) => result._tag === "Failure"
  })
  return { run, untilEnded }
})

describe("threads of a SQLite file", () => {
  it.live("thread: not used for a while → ends, and starts again with the next statement", () =>
    Effect.gen(function* () {
      const { run, untilEnded } = yield* start
      yield* untilEnded
      expect(yield* run("SELECT count(*) AS count FROM kept")).toMatchObject({ rows: [{ count: 0 }] })
    }).pipe(Effect.scoped)
  )

  it.live("thread: not used for a while inside of a transaction → keeps it", () =>
    Effect.gen(function* () {
      const [busy, other] = [yield* start, yield* start]
      yield* busy.run("BEGIN IMMEDIATE")
      yield* busy.run("INSERT INTO kept VALUES (1)")
      yield* other.untilEnded
      yield* busy.run("COMMIT")
      expect(yield* busy.run("SELECT count(*) AS count FROM kept")).toMatchObject({ rows: [{ count: 1 }] })
      yield* busy.untilEnded
    }).pipe(Effect.scoped)
  )
})
