/**
 * The threads that read a database file. Reads run there, not on the thread of the event loop, because node:sqlite is
 * synchronous: a read that takes a second would delay every request of the process by a second.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { Connection } from "effect/sql/SqlConnection"
import * as FairPool from "@holdfast/sql/FairPool"
import * as Thread from "./Thread.ts"
import * as ThreadConnection from "./ThreadConnection.ts"

/** Two, so that the slow read of one tenant leaves a thread to the others. */
const size = 2

export interface Options {
  readonly file: string
  /** How long a read waits for a thread; unlimited when absent. */
  readonly timeout?: Duration.Input | undefined
  /** Returns when all that a read may have seen is durable. */
  readonly settled: Effect.Effect<void, SqlError>
}

/**
 * Makes the threads, and a connection over them. Each of its statements may run on another thread, so it is not for transactions.
 * The threads end when the scope closes. Tenants share them as they share the connections of a pool.
 */
export const make = Effect.fnUntraced(function* ({
  file,
  settled,
  timeout
}: Options): Effect.fn.Return<Connection, never, Scope.Scope> {
  const readers = yield* Effect.all(Array.from({ length: size }, () => Thread.makeScoped({ file, isReader: true })))
  const shares = FairPool.make({ size, timeout, limitsUnowned: true })
  const idle = [...readers]

  return ThreadConnection.make((kind, sql, params) =>
    Effect.tap(
      shares.use(
        Effect.acquireUseRelease(
          // `shares` admits as many statements as there are readers, so one is idle.
          Effect.sync(() => idle.pop()),
          (reader) => (reader === undefined ? Effect.die("no idle reader") : reader.run(kind, sql, params)),
          (reader) => Effect.sync(() => void (reader === undefined || idle.push(reader)))
        )
      ),
      () => settled
    )
  )
})
