/**
 * Reads how far the write-ahead log is committed, from the index of the log that all connections share (`-shm`).
 * Format: https://sqlite.org/walformat.html#the_wal_index_file_format
 */
import { closeSync, openSync, readSync, realpathSync, writeSync } from "node:fs"

/** A position in the log: after a commit. The salts change whenever SQLite begins to write the log from its start again. */
export interface Position {
  readonly frames: number
  readonly salt1: number
  readonly salt2: number
  /** The bytes of a page; 0 when the log is empty and has never been written. */
  readonly pageSize: number
}

export interface WalIndex {
  /** Returns the position after the latest commit that readers can see. */
  readonly read: () => Position
  /** Makes every connection read the log again before its next transaction. The caller has the write lock. */
  readonly invalidate: () => void
  readonly close: () => void
}

const empty: Position = { frames: 0, salt1: 0, salt2: 0, pageSize: 0 }

/** The header is stored twice, so that a reader detects that it is being written. */
const headerBytes = 48

interface Shared {
  readonly descriptor: number
  users: number
}

/**
 * The open files. Closing a file releases all POSIX locks of the process on it, also those of SQLite. So all clients of a process
 * share one descriptor, and the last one closes it after its connections.
 */
const openFiles = new Map<string, Shared>()

/** Opens the index of a database file. It exists once a connection has read the database. */
export const open = (file: string): WalIndex => {
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

  return {
    read: () => {
      do {
        if (readSync(descriptor, bytes, 0, bytes.length, 0) < bytes.length) return empty
      } while (!isWhole())
      const isInitialized = bytes[12] === 1
      if (!isInitialized) return empty
      const pageSize = halves[7] ?? 0
      return {
        frames: words[4] ?? 0,
        salt1: words[8] ?? 0,
        salt2: words[9] ?? 0,
        pageSize: pageSize === 1 ? 65_536 : pageSize
      }
    },
    invalidate: () => void writeSync(descriptor, new Uint8Array(2 * headerBytes), 0, 2 * headerBytes, 0),
    close: () => {
      if (--shared.users > 0) return
      openFiles.delete(path)
      closeSync(descriptor)
    }
  }
}
