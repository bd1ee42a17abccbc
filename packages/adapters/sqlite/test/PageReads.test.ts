import { assert, describe, it } from "@effect/vitest"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import type { Connection } from "effect/sql/SqlConnection"
import * as PageReads from "../src/internal/PageReads.ts"
import * as SqliteConnection from "../src/internal/SqliteConnection.ts"

/** A connection that returns its name. Its reads take `millis` of the clock. */
const named = (name: string, clock: { now: number }, millis: () => number): Connection => {
  const connection = SqliteConnection.make(new DatabaseSync(":memory:"))
  return {
    ...connection,
    execute: (sql, params, transform) =>
      Effect.tap(connection.execute(sql, [name, ...params], transform), () =>
        Effect.sync(() => void (clock.now += millis()))
      )
  }
}

describe("PageReads", () => {
  it.effect("slow read on the calling thread → the threads read for a multiple of its time", () =>
    Effect.gen(function* () {
      const clock = { now: 1000 }
      let millis = 1
      const direct = named("direct", clock, () => millis)
      const threads = named("threads", clock, () => 0)
      const reads = PageReads.make({
        direct: () => direct,
        threads,
        maxDirectMillis: 2,
        threadFactor: 20,
        now: () => clock.now,
        startRead: () => {
          const begin = clock.now
          return () => clock.now - begin
        }
      })
      const read = Effect.map(reads.execute("SELECT ? AS name", [], undefined), ([row]) => row.name)

      assert.strictEqual(yield* read, "direct")
      millis = 5
      assert.strictEqual(yield* read, "direct")
      const slowUntil = clock.now + 100
      assert.strictEqual(yield* read, "threads")
      clock.now = slowUntil - 1
      assert.strictEqual(yield* read, "threads")
      clock.now = slowUntil
      assert.strictEqual(yield* read, "direct")
    })
  )
})
