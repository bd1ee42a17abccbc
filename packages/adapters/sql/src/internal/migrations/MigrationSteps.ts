/**
 * Runs the steps of a migration on a database that is in use, and records each finished step.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { SqlClient as CurrentClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { RowFault } from "../../SqlFailure.ts"
import { buildConcurrently } from "./ConcurrentIndex.ts"
import { createIndex, type Migration } from "../../migrations/Migration.ts"
import * as MigrationRecords from "./MigrationRecords.ts"
import { withShortLocks } from "./ShortLocks.ts"

type Statements<A> = Effect.Effect<A, SqlError | RowFault>

/** What a transaction of a step did: the position where the step continues; null at its end. */
type Part = (position: string | null) => Statements<string | null>

/** Runs one transaction of a step unless it has run already. Returns whether the step has a further one. */
const runPart = (sql: SqlClient, migration: Migration, index: number, part: Part) =>
  withShortLocks(
    sql,
    migration.name,
    Effect.gen(function* () {
      const progress = yield* MigrationRecords.lockProgress(sql, migration)
      if (progress === undefined || progress.finishedSteps > index) return false
      const position = yield* part(progress.position)
      const finishedSteps = position === null ? index + 1 : index
      yield* MigrationRecords.saveProgress(sql, migration, { finishedSteps, position })
      return position !== null
    })
  )

const isFinished = (sql: SqlClient, { id }: Migration, index: number) =>
  Effect.map(
    sql`SELECT finished_steps FROM holdfast_migration_progress
      WHERE migration_id = ${id} AND finished_steps > ${index}`,
    (rows) => rows.length > 0
  )

/** Runs the step with this index, unless it has run already. */
export const runStep = Effect.fnUntraced(function* (sql: SqlClient, migration: Migration, index: number) {
  const step = migration.steps[index]
  if (step === undefined || (yield* isFinished(sql, migration, index))) return
  const using = <A>(statements: Effect.Effect<A, SqlError | RowFault, CurrentClient>): Statements<A> =>
    Effect.provideService(statements, CurrentClient, sql)
  const finish: Part = () => Effect.succeed(null)
  switch (step._tag) {
    case "Change":
      return yield* runPart(sql, migration, index, () => Effect.as(using(step.run), null))
    case "Batches": {
      const part: Part = (position) => using(step.run(position))
      while (yield* runPart(sql, migration, index, part)) yield* Effect.yieldNow
      return
    }
    case "Index":
      // PostgreSQL builds an index concurrently only outside of a transaction.
      yield* sql.onDialectOrElse({
        pg: () => Effect.andThen(buildConcurrently(sql, step.index), runPart(sql, migration, index, finish)),
        orElse: () => runPart(sql, migration, index, () => Effect.as(sql.unsafe(createIndex(step.index)), null))
      })
      return
  }
})
