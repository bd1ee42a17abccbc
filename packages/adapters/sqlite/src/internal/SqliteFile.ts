/**
 * Opens a database with the settings that make commits durable. A thread that reads imports this module, so it imports
 * nothing that takes long to load.
 */
import * as BuiltinModule from "@holdfast/core/deployment/BuiltinModule"
import { closeSync, constants, fsyncSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import type * as NodeSqlite from "node:sqlite"

const { DatabaseSync } = BuiltinModule.get<typeof NodeSqlite>("node:sqlite")
type DatabaseSync = NodeSqlite.DatabaseSync

/** The file name for a database in memory, which exists as long as its connection. */
export const memory = ":memory:"

/**
 * How long SQLite itself waits for a lock of another process, in milliseconds: long enough for a usual transaction. It must
 * be short because SQLite's sleep blocks the whole process; `BusyRetry` waits longer without blocking.
 */
const defaultBusyTimeout = 2

/**
 * The same while the file is opened, in milliseconds. No request can be blocked yet, and the switch to write-ahead logging
 * needs exclusive access to the file.
 */
const openTimeout = 5000

/** Opens a new file; undefined if it exists. */
const openNew = (file: string): number | undefined => {
  try {
    return openSync(file, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined
    throw error
  }
}

/**
 * Creates the file, readable by its owner only, and makes its name durable. SQLite gives the log and its index the same mode, and, when
 * root creates them, the owner of the file.
 */
export const create = (file: string, onCreate?: (descriptor: number) => void): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const descriptor = openNew(file)
  if (descriptor === undefined) return
  try {
    onCreate?.(descriptor)
  } finally {
    closeSync(descriptor)
  }
  const directory = openSync(dirname(file), constants.O_RDONLY)
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

export interface OpenOptions {
  /** Whether statements that change the database fail; false when absent. */
  readonly isReader?: boolean
  /** How long SQLite itself waits for a lock, in milliseconds; some when absent. */
  readonly busyTimeout?: number | undefined
}

/**
 * Opens a database file, or a database in memory, with write-ahead logging. The caller makes commits durable (`LogSync`) and runs
 * checkpoints (`Checkpoints`). On macOS SQLite syncs with `F_FULLFSYNC`, which also flushes the drive's cache.
 */
export const open = (
  file: string,
  { busyTimeout = defaultBusyTimeout, isReader = false }: OpenOptions = {}
): DatabaseSync => {
  if (file !== memory) create(file)
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: openTimeout })
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON;
      PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -16384; PRAGMA busy_timeout = ${busyTimeout};
      PRAGMA query_only = ${isReader ? "ON" : "OFF"}`)
  } catch (error) {
    database.close()
    throw error
  }
  return database
}
