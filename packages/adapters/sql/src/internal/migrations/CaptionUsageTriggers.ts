/**
 * Triggers that count the text of attached captions among the bytes of streams, as `UsageTriggers.ts` counts segments.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

/** One statement may remove captions of several buckets. It changes the owners by id, tenants before buckets. */
const postgres = (sql: SqlClient) => {
  const ofCaptions = (sign: "+" | "-") => {
    const add = (owner: "tenant_id" | "bucket_id") =>
      `FOR total IN SELECT ${owner} AS owner_id, ${sign}CAST(SUM(octet_length(cues)) AS bigint) AS bytes
        FROM changed WHERE bucket_id = ANY(buckets) GROUP BY ${owner} ORDER BY ${owner} LOOP
        PERFORM usage_add(total.owner_id, 0, 0, total.bytes, 0);
      END LOOP;`
    // The locks keep the buckets from being removed until the transaction ends.
    return `DECLARE total record; buckets text[];
    BEGIN
      SELECT array_agg(id) INTO buckets FROM (SELECT id FROM bucket
        WHERE id IN (SELECT bucket_id FROM changed) ORDER BY id FOR KEY SHARE) AS locked;
      IF buckets IS NOT NULL THEN ${add("tenant_id")} ${add("bucket_id")} END IF;
      RETURN NULL;
    END`
  }
  const makeTrigger = (name: string, event: string, body: string) =>
    Effect.andThen(
      sql.unsafe(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $body$ ${body} $body$`),
      sql.unsafe(`CREATE TRIGGER ${name} ${event} FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`)
    )
  return Effect.andThen(
    makeTrigger(
      "usage_captions_inserted",
      "AFTER INSERT ON captions REFERENCING NEW TABLE AS changed",
      ofCaptions("+")
    ),
    makeTrigger("usage_captions_deleted", "AFTER DELETE ON captions REFERENCING OLD TABLE AS changed", ofCaptions("-"))
  )
}

const sqlite = (sql: SqlClient) => {
  const makeTrigger = (name: string, event: string, row: "NEW" | "OLD", sign: "" | "-") => {
    const bytes = `${sign}octet_length(${row}.cues)`
    return sql.unsafe(`CREATE TRIGGER ${name} ${event} BEGIN
      INSERT INTO usage (owner_id, shard, stream_bytes)
        SELECT id, 0, ${bytes} FROM bucket WHERE id = ${row}.bucket_id
        UNION ALL SELECT tenant_id, 0, ${bytes} FROM bucket WHERE id = ${row}.bucket_id
      ON CONFLICT (owner_id, shard) DO UPDATE SET stream_bytes = usage.stream_bytes + excluded.stream_bytes;
    END`)
  }
  return Effect.andThen(
    makeTrigger("usage_captions_inserted", "AFTER INSERT ON captions", "NEW", ""),
    makeTrigger("usage_captions_deleted", "AFTER DELETE ON captions", "OLD", "-")
  )
}

export const captionUsageTriggers = Effect.flatMap(SqlClient, (sql) =>
  sql.onDialectOrElse({ pg: () => postgres(sql), orElse: () => sqlite(sql) })
)
