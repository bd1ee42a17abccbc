/**
 * Inserts rows without the triggers of their tables: copied rows are complete, and a trigger would add rows for them.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Row from "../Row.ts"
import type { RowFault } from "../../SqlFailure.ts"
import type { Table } from "./Catalog.ts"

/** Runs an effect, inside of a transaction, while the triggers of the tables do not fire. */
export const without = <A, E, R>(
  sql: SqlClient,
  tables: ReadonlyArray<Table>,
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError | RowFault, R> =>
  sql.onDialectOrElse({
    pg: () => {
      const change = (verb: "DISABLE" | "ENABLE") =>
        Effect.forEach(tables, ({ name }) => sql`ALTER TABLE ${sql(name)} ${sql.literal(verb)} TRIGGER USER`, {
          discard: true
        })
      return Effect.andThen(
        change("DISABLE"),
        Effect.tap(self, () => change("ENABLE"))
      )
    },
    // SQLite cannot disable a trigger: it is dropped and created again.
    orElse: () =>
      Effect.gen(function* () {
        const triggers = yield* sql`SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`.pipe(
          Row.all((row) => ({ name: Row.text(row, "name"), statement: Row.text(row, "sql") }))
        )
        yield* Effect.forEach(triggers, ({ name }) => sql`DROP TRIGGER ${sql(name)}`, { discard: true })
        const result = yield* self
        yield* Effect.forEach(triggers, ({ statement }) => sql.unsafe(statement), { discard: true })
        return result
      })
  })
