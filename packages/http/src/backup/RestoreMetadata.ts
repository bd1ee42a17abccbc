/**
 * Puts the metadata of a snapshot into the database of a deployment that has none.
 */
import * as StoreIdentity from "@holdfast/core/deployment/StoreIdentity"
import { copyTables, isEmpty } from "@holdfast/sql/archive/CopyTables"
import { layerMigrated } from "@holdfast/sql/MetadataLayer"
import { migrate } from "@holdfast/sql/migrations/Migrate"
import * as SchemaVersion from "@holdfast/sql/migrations/SchemaVersion"
import * as MetadataSnapshot from "@holdfast/sqlite/MetadataSnapshot"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Path from "node:path"
import * as MetadataLayer from "../server/compose/MetadataLayer.ts"
import { BackupError } from "./BackupError.ts"
import * as DurableFiles from "./DurableFiles.ts"

const notEmpty = (what: string) =>
  new BackupError({ message: `${what} A restore needs an empty database. Name another one, or remove what it has.` })

/** Returns what the database of the deployment has recorded; undefined when there is none, or none with rows. */
const findRecorded = Effect.fnUntraced(function* (settings: MetadataLayer.MetadataSettings) {
  const isEmbedded = MetadataLayer.isEmbedded(settings)
  if (isEmbedded && !(yield* DurableFiles.exists(MetadataLayer.databasePath(settings)))) return undefined
  return yield* Effect.gen(function* () {
    const state = yield* SchemaVersion.state
    if (!isEmbedded && (state === "Empty" || (yield* isEmpty(yield* SqlClient)))) return undefined
    if (state !== "Current") return { restore: undefined }
    return { restore: yield* Effect.provide(StoreIdentity.findRestore, Layer.fresh(layerMigrated)) }
  }).pipe(Effect.provide(MetadataLayer.layerSqlClient(settings)))
})

/**
 * Returns whether an interrupted restore of the snapshot has restored the metadata. Fails unless the deployment has no metadata, or
 * these.
 */
export const isRestored = Effect.fnUntraced(function* (settings: MetadataLayer.MetadataSettings, snapshot: string) {
  const found = yield* findRecorded(settings)
  if (found === undefined) return false
  if (found.restore === snapshot) return true
  if (found.restore !== undefined) {
    return yield* new BackupError({
      message: `The restore of the snapshot ${found.restore} has not finished. Continue it with --snapshot ${found.restore}, or remove the database.`
    })
  }
  return yield* notEmpty(
    MetadataLayer.isEmbedded(settings)
      ? `There is a database ${MetadataLayer.databasePath(settings)} already.`
      : "The PostgreSQL database has records of Holdfast already."
  )
})

/** The metadata of a snapshot: its id, and their file. */
export interface SavedMetadata {
  readonly id: string
  readonly file: string
}

/**
 * Copies the file to a place of its own, where the schema becomes that of this version, and records there that the restore has begun:
 * these records appear in the database of the deployment together with all others.
 */
const prepare = Effect.fnUntraced(function* ({ file, id }: SavedMetadata, draft: string) {
  const { layer } = yield* Effect.promise(() => import("@holdfast/sqlite/SqliteMetadata"))
  // SQLite would apply the log of an interrupted restore to the new file.
  const remains = ["", "-wal", "-shm"].map((suffix) => DurableFiles.remove(`${draft}${suffix}`))
  yield* Effect.all(remains, { discard: true })
  yield* DurableFiles.copy(file, draft)
  yield* Effect.provide(StoreIdentity.beginRestore(id), layer({ file: draft }))
  yield* MetadataSnapshot.seal(draft)
  yield* DurableFiles.syncFile(draft)
})

/** Copies the file to the place of the database. The database has its name when it is complete. */
const restoreFile = Effect.fnUntraced(function* (settings: MetadataLayer.MetadataSettings, metadata: SavedMetadata) {
  const file = MetadataLayer.databasePath(settings)
  const draft = `${file}.restoring`
  yield* DurableFiles.makeDirectory(Path.dirname(file))
  yield* prepare(metadata, draft)
  yield* DurableFiles.giveToOwner(Path.dirname(file), draft)
  yield* DurableFiles.rename(draft, file)
})

/** Copies the rows of the file in one transaction. */
const restoreRows = (settings: MetadataLayer.MetadataSettings, metadata: SavedMetadata) =>
  Effect.gen(function* () {
    const Sqlite = yield* Effect.promise(() => import("@holdfast/sqlite/Sqlite"))
    const draft = Path.join(yield* DurableFiles.temporaryDirectory, "metadata.sqlite")
    yield* prepare(metadata, draft)
    const to = yield* SqlClient
    yield* migrate
    yield* Effect.gen(function* () {
      if (!(yield* copyTables({ from: yield* SqlClient, to }))) {
        return yield* notEmpty("The PostgreSQL database has got records meanwhile.")
      }
    }).pipe(Effect.provide(Sqlite.layer({ file: draft })))
  }).pipe(Effect.scoped, Effect.provide(MetadataLayer.layerSqlClient(settings)))

/** Restores the metadata of a snapshot, as a whole or not at all. */
export const restore = (settings: MetadataLayer.MetadataSettings, metadata: SavedMetadata) =>
  MetadataLayer.isEmbedded(settings) ? restoreFile(settings, metadata) : restoreRows(settings, metadata)
