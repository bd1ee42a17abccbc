/**
 * Puts the metadata of a snapshot into the database of a deployment that has none.
 */
import { copyTables, isEmpty } from "@holdfast/sql/archive/CopyTables"
import { migrate } from "@holdfast/sql/migrations/Migrate"
import * as SchemaVersion from "@holdfast/sql/migrations/SchemaVersion"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Path from "node:path"
import * as MetadataLayer from "../server/compose/MetadataLayer.ts"
import { BackupError } from "./BackupError.ts"
import * as DurableFiles from "./DurableFiles.ts"

const notEmpty = (what: string) =>
  new BackupError({ message: `${what} A restore needs an empty database. Name another one, or remove what it has.` })

/** Fails unless the deployment has no metadata. */
export const checkEmpty = (settings: MetadataLayer.MetadataSettings) =>
  Effect.gen(function* () {
    if (MetadataLayer.isEmbedded(settings)) {
      const file = MetadataLayer.databasePath(settings)
      if (yield* DurableFiles.exists(file)) return yield* notEmpty(`There is a database ${file} already.`)
      return
    }
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient
      if ((yield* SchemaVersion.state) !== "Empty" && !(yield* isEmpty(sql))) {
        return yield* notEmpty("The PostgreSQL database has records of Holdfast already.")
      }
    }).pipe(Effect.provide(MetadataLayer.layerSqlClient(settings)))
  })

/** Copies the file to the place of the database. The database has its name when it is complete. */
const restoreFile = (settings: MetadataLayer.MetadataSettings, metadata: string) =>
  Effect.gen(function* () {
    const file = MetadataLayer.databasePath(settings)
    const draft = `${file}.restoring`
    yield* DurableFiles.makeDirectory(Path.dirname(file))
    yield* DurableFiles.copy(metadata, draft)
    yield* DurableFiles.rename(draft, file)
  })

/** Copies the rows of the file in one transaction. The schema of a copy of the file becomes that of this version first. */
const restoreRows = (settings: MetadataLayer.MetadataSettings, metadata: string) =>
  Effect.gen(function* () {
    const Sqlite = yield* Effect.promise(() => import("@holdfast/sqlite/Sqlite"))
    const directory = yield* DurableFiles.temporaryDirectory
    const file = Path.join(directory, "metadata.sqlite")
    yield* DurableFiles.copy(metadata, file)
    const to = yield* SqlClient
    yield* migrate
    yield* Effect.gen(function* () {
      yield* migrate
      if (!(yield* copyTables({ from: yield* SqlClient, to }))) {
        return yield* notEmpty("The PostgreSQL database has got records meanwhile.")
      }
    }).pipe(Effect.provide(Sqlite.layer({ file })))
  }).pipe(Effect.scoped, Effect.provide(MetadataLayer.layerSqlClient(settings)))

/** Restores the metadata from the file of a snapshot, as a whole or not at all. */
export const restore = (settings: MetadataLayer.MetadataSettings, metadata: string) =>
  MetadataLayer.isEmbedded(settings) ? restoreFile(settings, metadata) : restoreRows(settings, metadata)
