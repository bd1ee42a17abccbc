/**
 * The connections for short reads on the calling thread. While a commit is not durable yet, they read the latest durable state.
 *
 * SQLite shows a commit to other connections before the log is synced. A read of it could be answered although the commit is
 * lost with the power, or refused because the sync fails. So a connection keeps a read transaction open that began before that
 * commit. It also keeps checkpoints from copying the commit into the database.
 */
import type { DatabaseSync } from "node:sqlite"
import type { Connection } from "effect/sql/SqlConnection"
import * as SqliteConnection from "../SqliteConnection.ts"
import type { Position } from "./WalIndex.ts"

interface Reader {
  readonly connection: Connection
  /** The state that the reader keeps; undefined while each of its reads sees the latest commit. */
  position: Position | undefined
  readonly keep: (position: Position) => void
  readonly release: () => void
}

const makeReader = (database: DatabaseSync): Reader => {
  const [begin, read, end] = ["BEGIN", "SELECT 1 FROM sqlite_schema LIMIT 1", "COMMIT"].map((sql) =>
    database.prepare(sql)
  )
  const reader: Reader = {
    connection: SqliteConnection.make(database),
    position: undefined,
    keep: (position) => {
      begin?.run()
      try {
        // The transaction begins to see a state of the database with its first read.
        read?.get()
      } catch (error) {
        end?.run()
        throw error
      }
      reader.position = position
    },
    release: () => {
      if (reader.position === undefined) return
      reader.position = undefined
      end?.run()
    }
  }
  return reader
}

export interface Snapshots {
  /** The connection that reads the latest durable state. */
  readonly current: () => Connection
  /** The position of the latest durable state; undefined when every commit is durable. */
  readonly durable: () => Position | undefined
  /** Keeps the state before a commit: all commits up to it are durable. */
  readonly keepCurrent: (position: Position) => void
  /** Keeps the state that is durable when the running sync ends. Does nothing when one is kept already. */
  readonly keepNext: (position: Position) => void
  /** The state that `keepNext` has kept is durable: reads see it. */
  readonly advance: () => void
  /** Every commit is durable: reads see the latest one. */
  readonly release: () => void
}

/** Makes the reads over two connections to the same database. */
export const make = (databases: readonly [DatabaseSync, DatabaseSync]): Snapshots => {
  let [current, next] = [makeReader(databases[0]), makeReader(databases[1])]
  return {
    current: () => current.connection,
    durable: () => current.position,
    keepCurrent: (position) => current.position ?? current.keep(position),
    keepNext: (position) => next.position ?? next.keep(position),
    advance: () => {
      current.release()
      ;[current, next] = [next, current]
    },
    release: () => {
      current.release()
      next.release()
    }
  }
}
