/**
 * The DeploymentRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { DeploymentRepository } from "@holdfast/core/deployment/DeploymentRepository"
import { MetadataError } from "@holdfast/core/MetadataError"
import * as ReadOnlyDatabase from "../../ReadOnlyDatabase.ts"
import { millis } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { bringForward } from "./BringForward.ts"

const readOnly = (): MetadataError =>
  new MetadataError({
    reason: "Unavailable",
    operation: "deployment.check",
    cause: ReadOnlyDatabase.cause()
  })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const isReadOnly = sql.onDialectOrElse({
    pg: () => sql`SELECT CASE current_setting('transaction_read_only') WHEN 'on' THEN 1 ELSE 0 END AS read_only`,
    orElse: () => sql`SELECT 0 AS read_only FROM holdfast_migration LIMIT 1`
  })
  const find = sql`SELECT store_id FROM deployment`.pipe(
    Row.all((row) => Row.text(row, "store_id")),
    Effect.map(([id]) => id)
  )
  return DeploymentRepository.of({
    findStoreId: operation("deployment.findStoreId")(find),
    claimStoreId: (id) =>
      sql`INSERT INTO deployment (id, store_id) VALUES (1, ${id}) ON CONFLICT (id) DO NOTHING`.pipe(
        Effect.andThen(find),
        Effect.map((recorded) => recorded ?? id),
        operation("deployment.claimStoreId")
      ),
    replaceStoreId: (id) =>
      sql`INSERT INTO deployment (id, store_id) VALUES (1, ${id})
        ON CONFLICT (id) DO UPDATE SET store_id = excluded.store_id`.pipe(
        Effect.asVoid,
        operation("deployment.replaceStoreId")
      ),
    bringForward: (now) => bringForward(sql, millis(now)).pipe(operation("deployment.bringForward")),
    check: isReadOnly.pipe(
      Row.all((row) => Row.int(row, "read_only")),
      operation("deployment.check"),
      Effect.flatMap(([value]) => (value === 0 ? Effect.void : Effect.fail(readOnly())))
    )
  })
})

export const layer: Layer.Layer<DeploymentRepository, never, SqlClient> = Layer.effect(DeploymentRepository, make)
