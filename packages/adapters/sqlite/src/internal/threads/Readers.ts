/**
 * The threads that read a database file. Reads run there, not on the thread of the event loop, because node:sqlite is
 * synchronous: a read that takes a second would delay every request of the process by a second.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as FairPool from "@holdfast/sql/FairPool"
import { type Result, toObjects } from "../SqliteStatement.ts"
import * as Reader from "./Reader.ts"

/** Two, so that the slow read of one tenant leaves a thread to the others. */
const size = 2

/** The methods of a connection that run a read. Each may use another thread, so a transaction cannot use them. */
export type ReadConnection = Omit<Connection, "executeStream" | "executeRaw">

const toValues = ({ rows }: Result): ReadonlyArray<ReadonlyArray<unknown>> => rows.filter((row) => Array.isArray(row))

export interface Options {
  readonly file: string
  /** How long a read waits for a thread; unlimited when absent. */
  readonly timeout?: Duration.Input | undefined
}

/** Makes the threads. They end when the scope closes. Tenants share them as they share the connections of a pool. */
export const make = ({ file, timeout }: Options): Effect.Effect<ReadConnection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const readers = Array.from({ length: size }, () => Reader.make({ file }))
    yield* Effect.addFinalizer(() => Effect.forEach(readers, ({ close }) => close, { discard: true }))
    const shares = FairPool.make({ size, timeout })
    const idle = [...readers]

    const run = (
      kind: Parameters<Reader.Reader["run"]>[0],
      sql: string,
      params: ReadonlyArray<unknown>
    ): Effect.Effect<Result, SqlError> =>
      shares.use(
        Effect.acquireUseRelease(
          // `shares` admits as many statements as there are readers, so one is idle.
          Effect.sync(() => idle.pop()),
          (reader) => (reader === undefined ? Effect.die("no idle reader") : reader.run(kind, sql, params)),
          (reader) => Effect.sync(() => void (reader === undefined || idle.push(reader)))
        )
      )

    const rows =
      (kind: "rows" | "fresh"): Connection["execute"] =>
      (sql, params, transform) =>
        Effect.map(run(kind, sql, params), (result) => {
          const objects = toObjects(result)
          return transform === undefined ? objects : transform(objects)
        })

    const values: Connection["executeValues"] = (sql, params) => Effect.map(run("values", sql, params), toValues)

    return {
      execute: rows("rows"),
      executeUnprepared: rows("fresh"),
      executeValues: values,
      executeValuesUnprepared: values
    }
  })
