/**
 * Writes the metadata of a deployment, as they are at one moment, to one SQLite file.
 */
import { copyTables } from "@holdfast/sql/archive/CopyTables"
import { migrate } from "@holdfast/sql/migrations/Migrate"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Fs from "node:fs/promises"
import * as MetadataLayer from "../server/compose/MetadataLayer.ts"
import * as DurableFiles from "./DurableFiles.ts"

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
export const save = Effect.fnUntraced(function* (settings: MetadataLayer.MetadataSettings, file: string) {
  // SQLite would create it readable by every user.
  yield* DurableFiles.attempt(() => Fs.writeFile(file, "", { mode: 0o600, flag: "wx" }))
  if (MetadataLayer.isEmbedded(settings)) {
    const { save } = yield* Effect.promise(() => import("@holdfast/sqlite/MetadataSnapshot"))
    yield* save(MetadataLayer.databasePath(settings), file)
  } else yield* exportTo(settings, file)
  yield* DurableFiles.syncFile(file)
})
