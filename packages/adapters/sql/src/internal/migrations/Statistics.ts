/**
 * Statistics for PostgreSQL's planner.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Row from "../Row.ts"

/** The tables that grow with the contents of a deployment. */
const tables = [
  "file",
  "blob",
  "conversion",
  "conversion_file",
  "captions",
  "poster",
  "mirror_task",
  "mirror_object",
  "event",
  "webhook_delivery"
]

/**
 * Analyses tables that have rows but no statistics, such as after a restore: a dump has none, and without them PostgreSQL reads a
 * folder of a large bucket by a plan for small tables until autovacuum has analysed the table. Skips a table that another node is
 * analysing. SQLite needs no statistics: the statements name their indexes where it matters.
 */
export const analyzeNewTables = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.gen(function* () {
        const lacking = yield* sql`SELECT relname FROM pg_class
          WHERE ${sql.in("relname", tables)} AND relkind = 'r' AND pg_table_is_visible(oid) AND pg_relation_size(oid) > 0
            AND NOT EXISTS (SELECT 1 FROM pg_stats
              WHERE schemaname = CAST(CAST(relnamespace AS regnamespace) AS text) AND tablename = relname)
          ORDER BY relname`.pipe(Row.all((row) => Row.text(row, "relname")))
        for (const table of lacking) yield* sql.unsafe(`ANALYZE (SKIP_LOCKED) ${table}`)
      }),
    orElse: () => Effect.void
  })
