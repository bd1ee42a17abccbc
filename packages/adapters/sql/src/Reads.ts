/**
 * The reads that every request makes. A client that pipelines many statements over one connection serves them at a third
 * of the cost, but must run nothing that may wait for a lock or take long, since all the others would wait with it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import type { Row } from "./Row.ts"

/** A client for short reads of the same database; undefined where the common one is as good. */
export const ReadClient = Context.Reference<SqlClient | undefined>("@holdfast/sql/ReadClient", {
  defaultValue: () => undefined
})

/** Runs a statement that reads few rows and waits for no lock. Inside a transaction it sees what that has written. */
export type ShortRead = (statement: (sql: SqlClient) => Statement<Row>) => Effect.Effect<ReadonlyArray<Row>, SqlError>

/** Short reads over the client for them, where there is one. */
export const make = (sql: SqlClient): Effect.Effect<ShortRead> =>
  Effect.map(ReadClient, (client): ShortRead => {
    if (client === undefined) return (statement) => statement(sql)
    return (statement) =>
      Effect.withFiber(({ context }) =>
        statement(Context.getOrUndefined(context, sql.transactionService) === undefined ? client : sql)
      )
  })
