/**
 * Writes the metadata of a deployment, as they are at one moment, to one SQLite file.
 */
import { copyTables } from "@holdfast/sql/archive/CopyTables"
import { migrate } from "@holdfast/sql/migrations/Migrate"
import * as SchemaVersion from "@holdfast/sql/migrations/SchemaVersion"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Fs from "node:fs/promises"
import * as MetadataLayer from "../server/compose/MetadataLayer.ts"
import { BackupError } from "./BackupError.ts"
import * as DurableFiles from "./DurableFiles.ts"

/** Fails unless the deployment has a database with the schema of this version. Changes nothing. */
export const check = (settings: MetadataLayer.MetadataSettings) =>
  Effect.gen(function* () {
    const file = MetadataLayer.databasePath(settings)
    if (MetadataLayer.isEmbedded(settings) && !(yield* DurableFiles.exists(file))) {
      return yield* new BackupError({ message: `There is no database ${file}. Set --data-dir to the data directory.` })
    }
    const state = yield* SchemaVersion.state.pipe(Effect.provide(MetadataLayer.layerSqlClient(settings)))
    const problem = {
      Empty: "The database has no tables of Holdfast.",
      Older:
        "The database has the schema of an older version. Back it up with that version, or run `holdfast migrate`.",
      Newer: "The database has the schema of a newer version. Back it up with that version.",
      Current: undefined
    }[state]
    if (problem !== undefined) return yield* new BackupError({ message: problem })
  })

/** Copies a PostgreSQL database to a new SQLite file with the same schema. */
const exportTo = (settings: MetadataLayer.MetadataSettings, file: string) =>
  Effect.gen(function* () {
    const [Sqlite, MetadataSnapshot] = yield* Effect.promise(() =>
      Promise.all([import("@holdfast/sqlite/Sqlite"), import("@holdfast/sqlite/MetadataSnapshot")])
    )
    const from = yield* SqlClient
    yield* Effect.gen(function* () {
      yield* migrate
      yield* copyTables({ from, to: yield* SqlClient })
    }).pipe(Effect.provide(Sqlite.layer({ file })))
    yield* MetadataSnapshot.seal(file)
  }).pipe(Effect.provide(MetadataLayer.layerSqlClient(settings)))

/** Writes the metadata to a file that does not exist yet, durably. The service may run meanwhile. */
export const save = (settings: MetadataLayer.MetadataSettings, file: string) =>
  Effect.gen(function* () {
    // SQLite would create it readable by every user.
    yield* DurableFiles.attempt(() => Fs.writeFile(file, "", { mode: 0o600, flag: "wx" }))
    if (MetadataLayer.isEmbedded(settings)) {
      const { save } = yield* Effect.promise(() => import("@holdfast/sqlite/MetadataSnapshot"))
      yield* save(MetadataLayer.databasePath(settings), file)
    } else yield* exportTo(settings, file)
    yield* DurableFiles.syncFile(file)
  })
