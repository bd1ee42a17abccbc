/**
 * Opens a database, with everything that a durable one needs.
 */
import { closeSync, constants, fsyncSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Predicate from "effect/Predicate"

/** A database that lives as long as its connection. */
export const memory = ":memory:"

/**
 * How long SQLite itself waits for the lock of another process: long enough for a common transaction, and no longer,
 * since its sleep stops the whole process (`Patience` waits on). Milliseconds.
 */
const patience = 2

/** At the start there is nothing to block, and switching to write-ahead logging needs the file alone. Milliseconds. */
const patienceAtStart = 5000

/** Creates the file for its owner alone, and makes the name durable; SQLite gives its log the same mode. */
const create = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(file, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600))
  } catch (error) {
    if (Predicate.hasProperty(error, "code") && error.code === "EEXIST") return
    throw error
  }
  const directory = openSync(dirname(file), constants.O_RDONLY)
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/**
 * Opens a database file, or one in memory. A commit is durable when it returns: write-ahead logging with an fsync for
 * each, also through the drive's cache on macOS.
 */
export const open = (file: string): DatabaseSync => {
  if (file !== memory) create(file)
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: patienceAtStart })
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
      PRAGMA cache_size = -16384; PRAGMA busy_timeout = ${patience}`)
  } catch (error) {
    database.close()
    throw error
  }
  return database
}
