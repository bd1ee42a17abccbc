/**
 * The index of the lists by type and of the files without content, whose type is null. `blob_id` is in no index and in no
 * condition of one: PostgreSQL then stores a new content of a file without touching the indexes (HOT).
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Migration from "../Migration.ts"

/**
 * PostgreSQL takes the tenant and the bucket of a file for independent of each other, and then expects too few rows of a bucket
 * among those of many tenants.
 */
const createStatistics = Effect.flatMap(SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.andThen(
        sql`CREATE STATISTICS IF NOT EXISTS file_owner (dependencies) ON tenant_id, bucket_id FROM file`,
        sql`ANALYZE file`
      ),
    orElse: () => Effect.void
  })
)

export const fileTypes: ReadonlyArray<Migration.Step> = [
  Migration.index({ name: "file_type", on: "file (bucket_id, type, path, name)" }),
  Migration.change(createStatistics)
]
