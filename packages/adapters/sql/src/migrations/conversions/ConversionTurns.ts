/**
 * Indexes that find the next conversion of each tenant, and the number of its running ones.
 */
import * as Migration from "../Migration.ts"

export const conversionTurns: ReadonlyArray<Migration.Step> = [
  Migration.index({ name: "conversion_turn", on: "conversion (tenant_id, due_at, id) WHERE due_at IS NOT NULL" }),
  Migration.index({ name: "conversion_running", on: "conversion (tenant_id, due_at) WHERE state = 'RUNNING'" })
]
