/**
 * The statements that a thread runs, as the `Connection` of effect's SQL modules.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Connection } from "effect/sql/SqlConnection"
import * as Stream from "effect/Stream"
import { type Commits, isCommit } from "../log/Commits.ts"
import { fromThrown } from "../SqliteError.ts"
import { type Result, toObjects } from "../SqliteStatement.ts"
import type { Thread } from "./Thread.ts"

const toValues = ({ rows }: Result): ReadonlyArray<ReadonlyArray<unknown>> => rows.filter((row) => Array.isArray(row))

/** Runs statements on a thread that writes, and reports their commits. */
export const tracking =
  (thread: Thread, commits: Commits): Thread["run"] =>
  (kind, sql, params) =>
    Effect.suspend(() => {
      const endsChange = isCommit(sql, thread.isTransaction)
      const begin = Effect.try({ try: () => endsChange && commits.begin(), catch: fromThrown("commit") })
      const run = Effect.onExit(thread.run(kind, sql, params), (exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit)) return endsChange && commits.end()
          for (const reason of exit.cause.reasons) {
            if (reason._tag === "Fail") commits.observe(reason.error.reason.cause)
          }
          return endsChange && commits.abort()
        })
      )
      return Effect.andThen(begin, run)
    })

/** Makes a connection whose statements `run` sends to a thread. A stream reads all of its rows before it returns the first. */
export const make = (run: Thread["run"]): Connection => {
  const rows =
    (kind: "rows" | "fresh"): Connection["execute"] =>
    (sql, params, transform) =>
      Effect.map(run(kind, sql, params), (result) => {
        const objects = toObjects(result)
        return transform === undefined ? objects : transform(objects)
      })
  const execute = rows("rows")
  const values: Connection["executeValues"] = (sql, params) => Effect.map(run("values", sql, params), toValues)
  return {
    execute,
    executeUnprepared: rows("fresh"),
    executeValues: values,
    executeValuesUnprepared: values,
    executeRaw: (sql, params) => Effect.map(run("raw", sql, params), ({ rows: [result] }) => result),
    executeStream: (sql, params, transform) => Stream.fromIterableEffect(execute(sql, params, transform))
  }
}
