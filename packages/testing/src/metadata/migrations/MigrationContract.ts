/**
 * The contract of the function that runs migrations, for every database.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

type Statements<A> = Effect.Effect<A, SqlError, SqlClient>

/** The migrations of the adapter under test, as far as the contract needs them. */
export interface MigrationSubject<Step> {
  readonly change: (run: Statements<unknown>) => Step
  readonly batches: (run: (position: string | null) => Statements<string | null>) => Step
  readonly index: (index: { readonly name: string; readonly on: string }) => Step
  readonly runMissing: (
    migrations: ReadonlyArray<{ readonly id: number; readonly name: string; readonly steps: ReadonlyArray<Step> }>
  ) => Effect.Effect<ReadonlyArray<{ readonly id: number }>, unknown, SqlClient>
}

/** Runs a statement of the client that the migration runs with. */
const execute = (statement: string) => Effect.flatMap(SqlClient, (sql) => sql.unsafe(statement))

const rows = 10
const batchSize = 3

/** Registers the tests with `register`. `empty` returns a client of a new, empty database with each use. */
export const migrationContract = <Step, E, E2, R>(
  register: (title: string, test: Effect.Effect<void, unknown, NoInfer<R> | Scope.Scope>) => void,
  empty: Effect.Effect<Layer.Layer<SqlClient, E>, E2, R>,
  { batches, change, index, runMissing }: MigrationSubject<Step>
): void => {
  const initial = {
    id: 1,
    name: "initial",
    steps: [
      change(execute("CREATE TABLE t (i integer PRIMARY KEY NOT NULL, n integer NOT NULL)")),
      change(
        execute(`WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < ${rows})
          INSERT INTO t (i, n) SELECT i, 0 FROM s`)
      )
    ]
  }
  /** Increments `n` in each row, in batches. Calls `onBatch` inside the transaction of each batch. */
  const increment = (onBatch: (first: number) => Effect.Effect<unknown, SqlError, SqlClient>) =>
    batches((position) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const first = Number(position ?? "1")
        yield* sql`UPDATE t SET n = n + 1 WHERE i >= ${first} AND i < ${first + batchSize}`
        yield* onBatch(first)
        return first + batchSize > rows ? null : String(first + batchSize)
      })
    )
  const ids = (ran: ReadonlyArray<{ readonly id: number }>) => ran.map(({ id }) => id)
  const values = Effect.flatMap(SqlClient, (sql) =>
    Effect.map(sql`SELECT n FROM t ORDER BY i`.values, (found) => found.map(([n]) => Number(n)))
  )
  const ones = Array.from({ length: rows }, () => 1)
  const test = (title: string, body: Effect.Effect<void, unknown, SqlClient>) =>
    register(
      `migrate: ${title}`,
      Effect.flatMap(empty, (client) => Effect.provide(body, client))
    )

  test(
    "batch fails → the next call repeats this batch only, and runs the steps after it once",
    Effect.gen(function* () {
      yield* runMissing([initial])
      const begun: Array<number> = []
      let failures = 1
      const second = {
        id: 2,
        name: "second",
        steps: [
          change(execute("ALTER TABLE t ADD COLUMN added integer")),
          increment((first) => {
            begun.push(first)
            return first === 7 && failures-- > 0 ? execute("SELECT 1 FROM absent") : Effect.void
          }),
          index({ name: "t_n", on: "t (n)" })
        ]
      }
      expect(yield* Effect.flip(runMissing([initial, second]))).toMatchObject({ _tag: "SqlError" })
      expect(ids(yield* runMissing([initial, second]))).toEqual([2])
      expect(begun).toEqual([1, 4, 7, 7, 10])
      expect(yield* values).toEqual(ones)
      expect(ids(yield* runMissing([initial, second]))).toEqual([])
      yield* execute("DROP INDEX t_n")
    })
  )

  test(
    "migration with a lower number than the last one that ran → runs",
    Effect.gen(function* () {
      const at = (id: number, column: string) => ({
        id,
        name: column,
        steps: [change(execute(`ALTER TABLE t ADD COLUMN ${column} integer`))]
      })
      expect(ids(yield* runMissing([initial, at(3, "three")]))).toEqual([1, 3])
      expect(ids(yield* runMissing([initial, at(2, "two"), at(3, "three")]))).toEqual([2])
      expect(yield* execute("SELECT two, three FROM t WHERE i < 0")).toEqual([])
    })
  )

  test(
    "database has a migration that this version does not know, with a lower number than its own → refused, nothing changed",
    Effect.gen(function* () {
      const at = (id: number) => ({
        id,
        name: `m${id}`,
        steps: [change(execute(`CREATE TABLE t${id} (i integer)`))]
      })
      yield* runMissing([at(1), at(2), at(3)])
      expect(yield* Effect.flip(runMissing([at(1), at(3)]))).toMatchObject({ _tag: "NewerSchema", found: 2 })
      expect(yield* Effect.flip(runMissing([at(1), at(3), at(4)]))).toMatchObject({ _tag: "NewerSchema", found: 2 })
      expect(ids(yield* runMissing([at(1), at(2), at(3), at(4)]))).toEqual([4])
    })
  )

  test(
    "three processes at the same time → each batch runs once, all return when the schema is current",
    Effect.gen(function* () {
      yield* runMissing([initial])
      const second = {
        id: 2,
        name: "second",
        steps: [increment(() => Effect.yieldNow), index({ name: "t_n", on: "t (n)" })]
      }
      const ran = yield* Effect.forEach([1, 2, 3], () => runMissing([initial, second]), { concurrency: "unbounded" })
      expect(ids(ran.flat())).toEqual([2])
      expect(yield* values).toEqual(ones)
    })
  )
}
