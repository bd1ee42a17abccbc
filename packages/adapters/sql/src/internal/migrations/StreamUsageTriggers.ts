/**
 * Triggers that count what callers attach to videos among the bytes of streams, as `UsageTriggers.ts` counts segments.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

/** A table whose rows count: each has a `tenant_id` and a `bucket_id`. */
export interface Counted {
  readonly table: string
  /** SQL: the bytes of a row, of which `row` names a column. */
  readonly bytes: (row: (column: string) => string) => string
  /** The column that a change of a row may replace; absent where rows do not change. */
  readonly changes?: string
}

/** Captions count as UTF-8. */
export const captionBytes: Counted["bytes"] = (row) => `octet_length(${row("cues")})`

/** Pictures are stored as Base64: four characters for three bytes. */
export const posterBytes: Counted["bytes"] = (row) => `COALESCE(octet_length(${row("image")}), 0) / 4 * 3`

/** One statement may change rows of several buckets. It changes the owners by id, tenants before buckets. */
const postgres = (sql: SqlClient, { bytes, changes, table }: Counted) => {
  const own = bytes((column) => column)
  const inserted = `SELECT tenant_id, bucket_id, ${own} AS bytes FROM changed`
  const deleted = `SELECT tenant_id, bucket_id, -(${own}) AS bytes FROM former`
  const body = (rows: string) => {
    const add = (owner: "tenant_id" | "bucket_id") =>
      `FOR total IN SELECT ${owner} AS owner_id, CAST(SUM(bytes) AS bigint) AS bytes FROM (${rows}) AS counted
        WHERE bucket_id = ANY(buckets) GROUP BY ${owner} HAVING SUM(bytes) <> 0 ORDER BY ${owner} LOOP
        PERFORM usage_add(total.owner_id, 0, 0, total.bytes, 0);
      END LOOP;`
    // The locks keep the buckets from being removed until the transaction ends.
    return `DECLARE total record; buckets text[];
    BEGIN
      SELECT array_agg(id) INTO buckets FROM (SELECT id FROM bucket
        WHERE id IN (SELECT bucket_id FROM (${rows}) AS counted WHERE bytes <> 0) ORDER BY id FOR KEY SHARE) AS locked;
      IF buckets IS NOT NULL THEN ${add("tenant_id")} ${add("bucket_id")} END IF;
      RETURN NULL;
    END`
  }
  const makeTrigger = (name: string, event: string, rows: string) =>
    Effect.andThen(
      sql.unsafe(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $body$ ${body(rows)} $body$`),
      sql.unsafe(`CREATE TRIGGER ${name} ${event} FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`)
    )
  const [asNew, asOld] = ["NEW TABLE AS changed", "OLD TABLE AS former"]
  return Effect.all([
    makeTrigger(`usage_${table}_inserted`, `AFTER INSERT ON ${table} REFERENCING ${asNew}`, inserted),
    makeTrigger(`usage_${table}_deleted`, `AFTER DELETE ON ${table} REFERENCING ${asOld}`, deleted),
    changes === undefined
      ? Effect.void
      : makeTrigger(
          `usage_${table}_changed`,
          `AFTER UPDATE ON ${table} REFERENCING ${asOld} ${asNew}`,
          `${inserted} UNION ALL ${deleted}`
        )
  ])
}

const sqlite = (sql: SqlClient, { bytes, changes, table }: Counted) => {
  const [added, removed] = (["NEW", "OLD"] as const).map((row) => bytes((column) => `${row}.${column}`))
  const makeTrigger = (name: string, event: string, row: "NEW" | "OLD", growth: string) =>
    sql.unsafe(`CREATE TRIGGER usage_${table}_${name} ${event} BEGIN
      INSERT INTO usage (owner_id, shard, stream_bytes)
        SELECT id, 0, ${growth} FROM bucket WHERE id = ${row}.bucket_id
        UNION ALL SELECT tenant_id, 0, ${growth} FROM bucket WHERE id = ${row}.bucket_id
      ON CONFLICT (owner_id, shard) DO UPDATE SET stream_bytes = usage.stream_bytes + excluded.stream_bytes;
    END`)
  return Effect.all([
    makeTrigger("inserted", `AFTER INSERT ON ${table}`, "NEW", `${added}`),
    makeTrigger("deleted", `AFTER DELETE ON ${table}`, "OLD", `-(${removed})`),
    changes === undefined
      ? Effect.void
      : makeTrigger("changed", `AFTER UPDATE OF ${changes} ON ${table}`, "NEW", `(${added}) - (${removed})`)
  ])
}

const triggers = (counted: Counted) =>
  Effect.flatMap(SqlClient, (sql) =>
    sql.onDialectOrElse({ pg: () => postgres(sql, counted), orElse: () => sqlite(sql, counted) })
  ).pipe(Effect.asVoid)

export const captionTriggers = triggers({ table: "captions", bytes: captionBytes })

export const posterTriggers = triggers({ table: "poster", bytes: posterBytes, changes: "image" })
