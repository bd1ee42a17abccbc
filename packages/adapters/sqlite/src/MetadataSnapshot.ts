/**
 * A copy of the metadata in one SQLite file, as they were at one moment: a part of every backup.
 */
import * as BuiltinModule from "@holdfast/core/deployment/BuiltinModule"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"
import type * as NodeSqlite from "node:sqlite"
import { asBackgroundWork } from "@holdfast/core/BackgroundWork"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import { fromThrown } from "./internal/SqliteError.ts"
import * as Sqlite from "./Sqlite.ts"

const { DatabaseSync } = BuiltinModule.get<typeof NodeSqlite>("node:sqlite")
type DatabaseSync = NodeSqlite.DatabaseSync

/** A content that the metadata refer to. */
export interface SnapshotContent {
  readonly blobId: string
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

/** An open copy. Its methods take a time that does not grow with the metadata, unless they say otherwise. */
export interface MetadataSnapshot {
  /** The ids of the migrations that the copied database had. */
  readonly migrations: ReadonlySet<number>
  /** Counts the contents and their bytes. Reads the records of all contents. */
  readonly totals: () => { readonly contents: number; readonly bytes: number }
  /** Lists contents by id, from a position on. */
  readonly list: (after: string, limit: number) => ReadonlyArray<SnapshotContent>
  /** Returns whether the metadata refer to a content. */
  readonly has: (blobId: string) => boolean
  /** Returns the first inconsistency of the file; undefined when there is none. Reads all of it. */
  readonly findDamage: () => string | undefined
}

/**
 * Writes a copy of a database that other processes may be changing. It reads in one transaction, on a thread of its own, and
 * takes no lock that delays a writer. Until it ends, SQLite keeps the changes of other processes in the write-ahead log.
 *
 * @param copy The path of the new file. It must not exist, or be empty.
 */
export const save = (file: string, copy: string): Effect.Effect<void, SqlError> =>
  Sqlite.make({ file }).pipe(
    Effect.flatMap((sql) => asBackgroundWork(sql.unsafe("VACUUM INTO ?", [copy]))),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.asVoid
  )

/**
 * Ends the write-ahead logging of a file that no process has open: then it is complete by itself, and can be read in a directory
 * that cannot be written.
 */
export const seal = (file: string): Effect.Effect<void, SqlError> =>
  Effect.try({
    try: () => {
      const database = new DatabaseSync(file)
      try {
        database.exec("PRAGMA journal_mode = DELETE")
      } finally {
        database.close()
      }
    },
    catch: fromThrown("seal")
  })

const toContent = (row: Record<string, NodeSqlite.SQLOutputValue>): SnapshotContent => {
  const blobId = String(row["id"])
  const key = BlobKey.make({ tenantId: String(row["tenant_id"]), bucketId: String(row["bucket_id"]), blobId })
  return { blobId, key, size: Number(row["size"]), sha256: String(row["sha256"]) }
}

/** A composite content has no bytes of its own: its parts are contents here. */
const isStored = "state = 'READY' AND sha256 IS NOT NULL"

const make = (database: DatabaseSync): MetadataSnapshot => {
  const migrations = database.prepare("SELECT migration_id FROM holdfast_migration")
  const totals = database.prepare(`SELECT count(*) AS contents, sum(size) AS bytes FROM blob WHERE ${isStored}`)
  const list = database.prepare(
    `SELECT id, tenant_id, bucket_id, size, sha256 FROM blob WHERE ${isStored} AND id > ? ORDER BY id LIMIT ?`
  )
  const has = database.prepare(`SELECT 1 AS one FROM blob WHERE id = ? AND ${isStored}`)
  return {
    migrations: new Set(migrations.all().map((row) => Number(row["migration_id"]))),
    totals: () => {
      const row = totals.get()
      return { contents: Number(row?.["contents"]), bytes: Number(row?.["bytes"]) }
    },
    list: (after, limit) => list.all(after, limit).map(toContent),
    has: (blobId) => has.get(blobId) !== undefined,
    findDamage: () => {
      const finding = database.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"]
      return finding === "ok" ? undefined : String(finding)
    }
  }
}

/** Opens a copy. It changes neither the file nor its directory. Many copies may be open: each has a cache of 1 MiB at most. */
export const open = (file: string): Effect.Effect<MetadataSnapshot, SqlError, Scope.Scope> => {
  const attempt = <A>(run: () => A) => Effect.try({ try: run, catch: fromThrown("open") })
  return Effect.acquireRelease(
    attempt(() => new DatabaseSync(file, { readOnly: true })),
    (database) => Effect.sync(() => database.close())
  ).pipe(
    Effect.flatMap((database) =>
      attempt(() => {
        database.exec("PRAGMA cache_size = -1024")
        return make(database)
      })
    )
  )
}
