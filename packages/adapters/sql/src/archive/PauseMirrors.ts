/**
 * Stops what a restored database would send to other services: its mirrors and webhooks.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MetadataError } from "@holdfast/core/MetadataError"
import { operation } from "../SqlFailure.ts"

/**
 * Pauses all mirrors and disables all webhooks, for a database that no service uses: a process that has read one of them may
 * still send.
 */
export const pauseMirrors: Effect.Effect<void, MetadataError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`UPDATE mirror SET paused = 1 WHERE paused = 0`
  yield* sql`UPDATE webhook SET state = 'DISABLED', disabled_reason = 'RESTORED' WHERE state = 'ACTIVE'`
}).pipe(operation("pauseMirrors"))
