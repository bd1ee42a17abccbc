/**
 * Builds an index on PostgreSQL while its table is read and written.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { createIndex, type NewIndex } from "../../migrations/Migration.ts"

/** How often the state of an index is read that another node builds. */
const pollInterval = "500 millis"

/** `ABSENT`, `VALID`, `BUILDING` by some session, or `INVALID`: the rest of a build that failed. */
type IndexState = "ABSENT" | "VALID" | "BUILDING" | "INVALID"

const stateOf = (sql: SqlClient, name: string) =>
  Effect.map(
    sql`SELECT i.indisvalid AS is_valid, EXISTS (
        SELECT 1 FROM pg_stat_progress_create_index p WHERE p.relid = i.indrelid) AS is_building
      FROM pg_index i WHERE i.indexrelid = to_regclass(${name})`,
    ([row]): IndexState =>
      row === undefined ? "ABSENT" : row.is_valid === true ? "VALID" : row.is_building === true ? "BUILDING" : "INVALID"
  )

/**
 * Two nodes that build indexes of one table at the same time may wait for each other, or create the same name. PostgreSQL then
 * ends one of them, which looks again.
 */
const isConflict = (error: unknown): boolean =>
  isSqlError(error) &&
  (error.reason._tag === "DeadlockError" ||
    (error.reason._tag === "UniqueViolation" && (error.reason.constraint ?? "").startsWith("pg_class")))

/** Returns when the index exists and is valid, whichever node has built it. */
export const buildConcurrently = (sql: SqlClient, index: NewIndex) =>
  Effect.gen(function* () {
    while (true) {
      const state = yield* stateOf(sql, index.name)
      if (state === "VALID") return
      if (state === "BUILDING") yield* Effect.sleep(pollInterval)
      else {
        if (state === "INVALID") yield* sql.unsafe(`DROP INDEX CONCURRENTLY IF EXISTS ${index.name}`)
        yield* sql.unsafe(createIndex(index, "CONCURRENTLY"))
      }
    }
  }).pipe(Effect.retry({ while: isConflict, schedule: Schedule.jittered(Schedule.spaced(pollInterval)) }))
