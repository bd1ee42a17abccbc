/**
 * Transactions and savepoints, over a database in a file and one in memory.
 */
import { assert, describe, it } from "@effect/vitest"
import { asBackgroundWork } from "@holdfast/core/BackgroundWork"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { SqlClient } from "effect/sql/SqlClient"
import * as Sqlite from "../src/Sqlite.ts"
import * as Temporary from "./support/Temporary.ts"

const insert = (value: number) => Effect.flatMap(SqlClient, (sql) => sql`INSERT INTO number (value) VALUES (${value})`)

const inTransaction = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient, (sql) => sql.withTransaction(self))

const values = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(sql<{ readonly value: number }>`SELECT value FROM number ORDER BY value`, (rows) =>
    rows.map(({ value }) => value)
  )
)

const refused = Effect.fail("refused" as const)

describe.each(["file", "memory"])("transactions of a database in a %s", (kind) => {
  const run = <A, E>(test: Effect.Effect<A, E, SqlClient>) =>
    Effect.gen(function* () {
      const file = kind === "file" ? yield* Temporary.file : ":memory:"
      const prepare = Effect.flatMap(SqlClient, (sql) => sql`CREATE TABLE number (value integer NOT NULL UNIQUE)`)
      return yield* Effect.provide(Effect.andThen(prepare, test), Sqlite.layer({ file }))
    })

  const both = [
    ["of a request", <A, E, R>(self: Effect.Effect<A, E, R>) => self],
    ["of background work", asBackgroundWork]
  ] as const

  for (const [name, as] of both) {
    it.live(`${name}: effect fails → no change stays; the next one succeeds`, () =>
      run(
        Effect.gen(function* () {
          const exit = yield* Effect.exit(as(inTransaction(Effect.andThen(insert(1), refused))))
          assert.isTrue(Exit.isFailure(exit))
          yield* as(inTransaction(Effect.andThen(insert(2), insert(3))))
          assert.deepStrictEqual(yield* values, [2, 3])
        })
      )
    )

    it.live(`${name}: nested one fails → only its changes are rolled back`, () =>
      run(
        Effect.gen(function* () {
          const failing = inTransaction(
            Effect.andThen(insert(2), inTransaction(insert(3))).pipe(Effect.andThen(refused))
          )
          yield* as(
            inTransaction(
              insert(1).pipe(
                Effect.andThen(Effect.ignore(failing)),
                Effect.andThen(inTransaction(Effect.andThen(insert(4), inTransaction(insert(5)))))
              )
            )
          )
          assert.deepStrictEqual(yield* values, [1, 4, 5])
        })
      )
    )

    it.live(`${name}: statement violates a constraint → nothing of the transaction stays`, () =>
      run(
        Effect.gen(function* () {
          yield* insert(1)
          const exit = yield* Effect.exit(as(inTransaction(Effect.andThen(insert(2), insert(1)))))
          assert.isTrue(Exit.isFailure(exit))
          assert.deepStrictEqual(yield* values, [1])
        })
      )
    )
  }

  it.live("nested ones side by side, one fails → changes of the others stay", () =>
    run(
      Effect.gen(function* () {
        const nested = [1, 2, 3, 4, 5, 6].map((value) =>
          inTransaction(
            insert(value).pipe(Effect.andThen(Effect.yieldNow), Effect.andThen(value === 3 ? refused : Effect.void))
          ).pipe(Effect.ignore)
        )
        yield* inTransaction(Effect.all(nested, { concurrency: "unbounded" }))
        assert.deepStrictEqual(yield* values, [1, 2, 4, 5, 6])
      })
    )
  )

  it.live("interrupted → rolled back; the next one does not wait", () =>
    run(
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const fiber = yield* insert(1).pipe(
          Effect.andThen(Deferred.succeed(begun, undefined)),
          Effect.andThen(Effect.never),
          inTransaction,
          Effect.forkChild
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        yield* inTransaction(insert(2))
        assert.deepStrictEqual(yield* values, [2])
      })
    )
  )
})
