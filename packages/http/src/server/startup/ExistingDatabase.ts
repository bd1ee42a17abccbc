/**
 * Checks that the settings name the database of a deployment: opening it would create or migrate another one.
 */
import * as SchemaVersion from "@holdfast/sql/migrations/SchemaVersion"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs/promises"
import * as MetadataLayer from "../compose/MetadataLayer.ts"
import { NoDatabase } from "./NoDatabase.ts"

const isMissing = (file: string) =>
  Effect.promise(() =>
    Fs.stat(file).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === "ENOENT" || error.code === "ENOTDIR"
    )
  )

/** Fails unless the deployment has a database with the schema of this version. Changes nothing. */
export const check = Effect.fnUntraced(function* (settings: MetadataLayer.MetadataSettings) {
  const file = MetadataLayer.databasePath(settings)
  if (MetadataLayer.isEmbedded(settings) && (yield* isMissing(file))) {
    return yield* new NoDatabase({
      message: `There is no database ${file}. Set --data-dir to the data directory, or DATABASE_URL.`
    })
  }
  const state = yield* SchemaVersion.state.pipe(Effect.provide(MetadataLayer.layerSqlClient(settings)))
  const problem = {
    Empty: "The database has no tables of Holdfast. Check DATABASE_URL and --data-dir.",
    Older: "The database has the schema of an older version. Use that version, or run `holdfast migrate` first.",
    Current: undefined
  }[state]
  if (problem !== undefined) return yield* new NoDatabase({ message: problem })
})
