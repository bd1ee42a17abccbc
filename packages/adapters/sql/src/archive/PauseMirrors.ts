/**
 * Pauses the mirrors of a restored database.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MetadataError } from "@holdfast/core/MetadataError"
import { operation } from "../SqlFailure.ts"

/** Pauses all mirrors, for a database that no service uses: a process that has read a mirror may still copy a file. */
export const pauseMirrors: Effect.Effect<void, MetadataError, SqlClient> = Effect.flatMap(
  SqlClient,
  (sql) => sql`UPDATE mirror SET paused = 1 WHERE paused = 0`
).pipe(Effect.asVoid, operation("pauseMirrors"))
