/**
 * The tables of webhooks and of their deliveries.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import { textType } from "../internal/Dialect.ts"
import { webhookTriggers } from "../internal/migrations/WebhookTriggers.ts"
import * as Migration from "./Migration.ts"

const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient
  const text = textType(sql)

  // `event_types` is a JSON array of actions, prefixes that end with a dot, and `*`. `former_secret` signs until `former_until`. The
  // worker that has the lease sends the deliveries. While a recovery runs, the failed deliveries of events after `recover_after`,
  // up to `recover_to`, are still to be queued again.
  yield* sql`CREATE TABLE webhook (
    id ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
    name ${text} NOT NULL,
    url ${text} NOT NULL,
    event_types ${text} NOT NULL,
    bucket_id ${text},
    state ${text} NOT NULL CHECK (state IN ('ACTIVE', 'DISABLED')),
    disabled_reason ${text},
    secret ${text} NOT NULL,
    former_secret ${text},
    former_until bigint,
    failing_since bigint,
    failures bigint NOT NULL DEFAULT 0,
    retry_at bigint NOT NULL DEFAULT 0,
    lease ${text},
    lease_until bigint NOT NULL DEFAULT 0,
    recovering_since bigint,
    recover_after ${text},
    recover_to ${text},
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL)`
  yield* sql`CREATE INDEX webhook_tenant ON webhook (tenant_id, id)`
  yield* sql`CREATE INDEX webhook_recovery ON webhook (id) WHERE recovering_since IS NOT NULL`

  // A delivery has what it sends of its event, which may be deleted earlier, and may outlive its webhook until a job deletes it.
  // `status`, `duration` (milliseconds) and `error` are those of the last attempt. An ended delivery is deleted after `delete_at`.
  yield* sql`CREATE TABLE webhook_delivery (
    webhook_id ${text} NOT NULL,
    event_id ${text} NOT NULL,
    tenant_id ${text} NOT NULL,
    action ${text} NOT NULL,
    target_id ${text},
    bucket_id ${text},
    detail ${text} NOT NULL,
    state ${text} NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'DELIVERED', 'FAILED')),
    attempts bigint NOT NULL DEFAULT 0,
    due_at bigint NOT NULL DEFAULT 0,
    attempted_at bigint,
    status bigint,
    duration bigint,
    error ${text},
    delete_at bigint,
    PRIMARY KEY (webhook_id, event_id))
    ${sql.literal(sql.onDialectOrElse({ pg: () => "", orElse: () => "WITHOUT ROWID" }))}`
  yield* sql`CREATE INDEX webhook_delivery_pending ON webhook_delivery (webhook_id, due_at, event_id)
    WHERE state = 'PENDING'`
  yield* sql`CREATE INDEX webhook_delivery_state ON webhook_delivery (webhook_id, state, event_id)`
  yield* sql`CREATE INDEX webhook_delivery_ended ON webhook_delivery (delete_at) WHERE delete_at IS NOT NULL`
})

export const webhooks: ReadonlyArray<Migration.Step> = [
  Migration.change(createTables),
  Migration.change(webhookTriggers)
]
