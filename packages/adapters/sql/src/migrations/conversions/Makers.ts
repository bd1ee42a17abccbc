/**
 * Records which claim has made a conversion READY.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Migration from "../Migration.ts"

/** The fencing token of the claim; null for a conversion that is not READY, or that a node of a former version has made. */
const addColumn = Effect.flatMap(SqlClient, (sql) => sql`ALTER TABLE conversion ADD COLUMN made_by bigint`)

export const makers: ReadonlyArray<Migration.Step> = [Migration.change(addColumn)]
