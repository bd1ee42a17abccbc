/**
 * Reads how far the write-ahead log is committed, from the index of the log that all connections share (`-shm`).
 * Format: https://sqlite.org/walformat.html#the_wal_index_file_format
 */
import { closeSync, openSync, readSync, realpathSync, writeSync } from "node:fs"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

/** A position in the log: after a commit. The salts change whenever SQLite begins to write the log from its start again. */
export interface Position {
  readonly frames: number
  readonly salt1: number
  readonly salt2: number
  /** The bytes of a page; 0 when the log is empty and has never been written. */
  readonly pageSize: number
}

export interface WalIndex {
  /**
   * Returns the position after the latest commit that readers can see. A process that is killed or suspended while it writes the
   * header leaves it damaged until a connection begins its next transaction: undefined then, and the caller assumes a commit.
   */
  readonly read: () => Position | undefined
  /**
   * The same, after SQLite has read a damaged header from the log again. Throws when that is not possible; SQLite waits up to ten
   * seconds for another process that has the write lock.
   */
  readonly readOrRecover: () => Position
  /** Makes every connection read the log again before its next transaction. The caller has the write lock. */
  readonly invalidate: () => void
  readonly close: () => void
}

/** Whether the log is the same at both positions. It may have changed where one of them could not be read. */
export const isSame = (a: Position | undefined, b: Position | undefined): boolean =>
  a !== undefined && b !== undefined && a.frames === b.frames && a.salt1 === b.salt1 && a.salt2 === b.salt2

const empty: Position = { frames: 0, salt1: 0, salt2: 0, pageSize: 0 }

const unreadable = (): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause: undefined,
      message: "SQLite: the index of the write-ahead log could not be read",
      operation: "begin"
    })
  })

/** The header is stored twice, so that a reader detects that it is being written. */
const headerBytes = 48

/** Reads of a header that is being written: SQLite writes it within microseconds, but the system may suspend its process meanwhile. */
const maxReads = 1000

interface Shared {
  readonly descriptor: number
  users: number
}

/**
 * The open files. Closing a file releases all POSIX locks of the process on it, also those of SQLite. So all clients of a process
 * share one descriptor, and the last one closes it after its connections.
 */
const openFiles = new Map<string, Shared>()

/**
 * Opens the index of a database file. It exists once a connection has read the database.
 *
 * @param recover Reads the database with a new connection: SQLite then reads the header from the log again if it is not whole.
 */
export const open = (file: string, recover: () => void): WalIndex => {
  const path = `${realpathSync(file)}-shm`
  const shared = openFiles.get(path) ?? { descriptor: openSync(path, "r+"), users: 0 }
  openFiles.set(path, shared)
  shared.users++
  const { descriptor } = shared
  const bytes = new Uint8Array(2 * headerBytes)
  const words = new Uint32Array(bytes.buffer)
  const halves = new Uint16Array(bytes.buffer)

  const isWhole = (): boolean => {
    for (let index = 0; index < headerBytes / 4; index++) {
      if (words[index] !== words[index + headerBytes / 4]) return false
    }
    return true
  }

  let isClosed = false

  const read = (): Position | undefined => {
    if (isClosed) return undefined
    for (let reads = 1; ; reads++) {
      if (readSync(descriptor, bytes, 0, bytes.length, 0) < bytes.length) return empty
      if (isWhole()) break
      if (reads === maxReads) return undefined
    }
    const isInitialized = bytes[12] === 1
    if (!isInitialized) return empty
    const pageSize = halves[7] ?? 0
    return {
      frames: words[4] ?? 0,
      salt1: words[8] ?? 0,
      salt2: words[9] ?? 0,
      pageSize: pageSize === 1 ? 65_536 : pageSize
    }
  }

  const recovered = (): Position => {
    recover()
    const position = read()
    if (position === undefined) throw unreadable()
    return position
  }

  return {
    read,
    readOrRecover: () => read() ?? recovered(),
    invalidate: () => void writeSync(descriptor, new Uint8Array(2 * headerBytes), 0, 2 * headerBytes, 0),
    close: () => {
      isClosed = true
      if (--shared.users > 0) return
      openFiles.delete(path)
      closeSync(descriptor)
    }
  }
}
