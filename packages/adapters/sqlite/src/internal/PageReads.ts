/**
 * Reads of pages: of about a hundred neighbouring rows. They take 0.1 to 0.3 ms when the rows are in memory, and on another thread
 * twice as long: two messages, and the rows are copied. Therefore they run on the calling thread until one takes so long that it
 * must have waited for a device, or that its rows are large (`BlockingTime.ts`). Then the threads do the reads for a multiple of that time. So even
 * slow reads block the event loop for a small share of the time only.
 */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Connection } from "effect/sql/SqlConnection"
import * as BlockingTime from "./BlockingTime.ts"

export interface Options {
  /** Returns the connection for a read on the calling thread that follows at once. */
  readonly direct: () => Connection
  /** Runs statements on other threads. */
  readonly threads: Connection
  /** A read on the calling thread that takes more milliseconds than this is slow. */
  readonly maxDirectMillis: number
  /** After a slow read the threads do the reads for this many times its duration. */
  readonly threadFactor: number
  /** Returns the time of the monotonic clock in milliseconds. */
  readonly now?: () => number
  /** Starts to measure for how long a read on the calling thread blocks it. */
  readonly startRead?: BlockingTime.Start
}

/** Makes the connection. It runs reads only. */
export const make = ({
  direct,
  maxDirectMillis,
  now = () => performance.now(),
  startRead = BlockingTime.make(maxDirectMillis),
  threadFactor,
  threads
}: Options): Connection => {
  let threadsUntil = 0

  const run = <A>(read: (connection: Connection) => Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
    Effect.suspend(() => {
      if (now() < threadsUntil) return read(threads)
      const endRead = startRead()
      return Effect.map(read(direct()), (result) => {
        const millis = endRead()
        if (millis > maxDirectMillis) threadsUntil = now() + millis * threadFactor
        return result
      })
    })

  return {
    execute: (sql, params, transform) => run((connection) => connection.execute(sql, params, transform)),
    executeUnprepared: (sql, params, transform) =>
      run((connection) => connection.executeUnprepared(sql, params, transform)),
    executeRaw: (sql, params) => run((connection) => connection.executeRaw(sql, params)),
    executeValues: (sql, params) => run((connection) => connection.executeValues(sql, params)),
    executeValuesUnprepared: (sql, params) => run((connection) => connection.executeValuesUnprepared(sql, params)),
    executeStream: threads.executeStream
  }
}
