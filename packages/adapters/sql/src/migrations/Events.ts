/**
 * The table of events.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import * as Migration from "./Migration.ts"

const createTable = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // The id has the time. `tenant_id` is `-` for an event of the deployment. There is no foreign key: events outlive what they
  // are about. There is no other index either, because every upload inserts a row: a list reads a bounded number of rows.
  yield* sql`CREATE TABLE event (
    tenant_id ${text} NOT NULL,
    id ${text} NOT NULL,
    action ${text} NOT NULL,
    actor ${text} NOT NULL,
    account_id ${text},
    token_id ${text},
    target_id ${text},
    target_name ${text},
    bucket_id ${text},
    client_address ${text},
    request_id ${text},
    detail ${text} NOT NULL,
    PRIMARY KEY (tenant_id, id))
    ${sql.literal(sql.onDialectOrElse({ pg: () => "", orElse: () => "WITHOUT ROWID" }))}`
})

export const events: ReadonlyArray<Migration.Step> = [Migration.change(createTable)]
