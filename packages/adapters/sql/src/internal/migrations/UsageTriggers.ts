/**
 * Triggers that keep the usage counters in the statement that changes a file, a segment or a reservation. They also count the
 * changes of nodes of a former version.
 *
 * The rows of an owner are shards. A shard stays locked until its transaction ends; therefore each connection to PostgreSQL
 * has a shard of its own, as far as there are enough. The counters of an owner are the sums of its shards, so that a single
 * shard may be negative.
 *
 * Every transaction changes the row of the tenant before those of its buckets, so that two of them do not wait for each other. What
 * belongs to no bucket any more, such as segments that are not swept yet, does not count.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

/** The shards of an owner on PostgreSQL. SQLite has one: its transactions run one after the other. */
export const shards = 16

/** The shard of a connection to PostgreSQL. A transaction may choose another one by `set_config`. */
export const shardOfConnection = `COALESCE(CAST(NULLIF(current_setting('holdfast.usage_shard', true), '') AS bigint),
  CAST(pg_backend_pid() % ${shards} AS bigint))`

const counters = "files, content_bytes, stream_bytes, reserved_bytes"

const addition = `files = usage.files + excluded.files, content_bytes = usage.content_bytes + excluded.content_bytes,
  stream_bytes = usage.stream_bytes + excluded.stream_bytes, reserved_bytes = usage.reserved_bytes + excluded.reserved_bytes`

/** The bytes that a row of `blob` reserves. */
const reserved = (row: "NEW" | "OLD") =>
  `CASE WHEN ${row}.state = 'PENDING' THEN COALESCE(${row}.reserved, 0) ELSE 0 END`

const reservedDifference = `${reserved("NEW")} - ${reserved("OLD")}`

/** Conditions that keep the triggers of `blob` from firing for uploads without reservation. */
const reserves = (row: "NEW" | "OLD") => `${row}.reserved IS NOT NULL`

const postgres = (sql: SqlClient) => {
  const makeFunction = (signature: string, body: string) =>
    sql.unsafe(`CREATE FUNCTION ${signature} LANGUAGE plpgsql VOLATILE AS $body$ ${body} $body$`)
  const makeTrigger = (name: string, event: string, body: string) =>
    Effect.andThen(
      makeFunction(`${name}() RETURNS trigger`, body),
      sql.unsafe(`CREATE TRIGGER ${name} ${event} EXECUTE FUNCTION ${name}()`)
    )
  const ofRow = (row: "NEW" | "OLD", deltas: string) =>
    `BEGIN
      PERFORM usage_add(${row}.tenant_id, ${deltas});
      PERFORM usage_add(${row}.bucket_id, ${deltas});
      RETURN NULL;
    END`
  // The lock keeps the bucket from being removed until the transaction ends.
  const ofReservation = (row: "NEW" | "OLD", delta: string) =>
    `BEGIN
      PERFORM 1 FROM bucket WHERE id = ${row}.bucket_id FOR KEY SHARE;
      IF FOUND THEN
        PERFORM usage_add(${row}.tenant_id, 0, 0, 0, ${delta});
        PERFORM usage_add(${row}.bucket_id, 0, 0, 0, ${delta});
      END IF;
      RETURN NULL;
    END`
  // Both statements add up the changed rows by owner, so that each row of `usage` is written once: PostgreSQL reads every version of
  // it that the transaction has written before, so that n updates of one row would take a time that grows with n².
  const ofRows = (rows: (owner: "tenant_id" | "bucket_id") => string) =>
    (["tenant_id", "bucket_id"] as const)
      .map(
        (owner) => `FOR total IN ${rows(owner)} LOOP
          PERFORM usage_add(total.owner_id, total.files, total.content_bytes, total.stream_bytes, 0);
        END LOOP;`
      )
      .join("\n")
  const ofFiles = (sign: "+" | "-") => {
    const rows = (owner: "tenant_id" | "bucket_id") =>
      `SELECT ${owner} AS owner_id, ${sign}COUNT(*) AS files, ${sign}CAST(COALESCE(SUM(size), 0) AS bigint) AS content_bytes,
        CAST(0 AS bigint) AS stream_bytes FROM changed GROUP BY ${owner} ORDER BY ${owner}`
    return `DECLARE total record; BEGIN ${ofRows(rows)} RETURN NULL; END`
  }
  const ofSegments = (sign: "+" | "-") => {
    const segments = `changed JOIN blob ON blob.id = changed.blob_id`
    const rows = (owner: "tenant_id" | "bucket_id") =>
      `SELECT blob.${owner} AS owner_id, CAST(0 AS bigint) AS files, CAST(0 AS bigint) AS content_bytes,
        ${sign}CAST(COALESCE(SUM(blob.size), 0) AS bigint) AS stream_bytes
      FROM ${segments} WHERE blob.bucket_id = ANY(buckets) GROUP BY blob.${owner} ORDER BY blob.${owner}`
    return `DECLARE total record; buckets text[];
    BEGIN
      SELECT array_agg(id) INTO buckets FROM (SELECT id FROM bucket
        WHERE id IN (SELECT blob.bucket_id FROM ${segments}) ORDER BY id FOR KEY SHARE) AS locked;
      IF buckets IS NOT NULL THEN ${ofRows(rows)} END IF;
      RETURN NULL;
    END`
  }
  return Effect.all(
    [
      makeFunction(
        "usage_add(owner text, new_files bigint, new_content bigint, new_stream bigint, new_reserved bigint) RETURNS void",
        `DECLARE own_shard bigint := ${shardOfConnection};
        BEGIN
          UPDATE usage SET files = files + new_files, content_bytes = content_bytes + new_content,
            stream_bytes = stream_bytes + new_stream, reserved_bytes = reserved_bytes + new_reserved
          WHERE owner_id = owner AND shard = own_shard;
          IF NOT FOUND THEN
            INSERT INTO usage (owner_id, shard, ${counters})
            VALUES (owner, own_shard, new_files, new_content, new_stream, new_reserved)
            ON CONFLICT (owner_id, shard) DO UPDATE SET ${addition};
          END IF;
        END`
      ),
      makeTrigger(
        "usage_files_inserted",
        "AFTER INSERT ON file REFERENCING NEW TABLE AS changed FOR EACH STATEMENT",
        ofFiles("+")
      ),
      makeTrigger(
        "usage_file_resized",
        "AFTER UPDATE OF size ON file FOR EACH ROW WHEN (OLD.size IS DISTINCT FROM NEW.size)",
        ofRow("NEW", "0, COALESCE(NEW.size, 0) - COALESCE(OLD.size, 0), 0, 0")
      ),
      makeTrigger(
        "usage_files_deleted",
        "AFTER DELETE ON file REFERENCING OLD TABLE AS changed FOR EACH STATEMENT",
        ofFiles("-")
      ),
      makeTrigger(
        "usage_segments_inserted",
        "AFTER INSERT ON conversion_file REFERENCING NEW TABLE AS changed FOR EACH STATEMENT",
        ofSegments("+")
      ),
      makeTrigger(
        "usage_segments_deleted",
        "AFTER DELETE ON conversion_file REFERENCING OLD TABLE AS changed FOR EACH STATEMENT",
        ofSegments("-")
      ),
      makeTrigger(
        "usage_blob_inserted",
        `AFTER INSERT ON blob FOR EACH ROW WHEN (${reserves("NEW")})`,
        ofReservation("NEW", reserved("NEW"))
      ),
      makeTrigger(
        "usage_blob_updated",
        `AFTER UPDATE OF state, reserved ON blob FOR EACH ROW WHEN (${reserves("OLD")} OR ${reserves("NEW")})`,
        ofReservation("NEW", reservedDifference)
      ),
      makeTrigger(
        "usage_blob_deleted",
        `AFTER DELETE ON blob FOR EACH ROW WHEN (${reserves("OLD")} AND OLD.state = 'PENDING')`,
        ofReservation("OLD", "-OLD.reserved")
      ),
      makeTrigger(
        "usage_bucket_deleted",
        "AFTER DELETE ON bucket FOR EACH ROW",
        `DECLARE total record;
        BEGIN
          WITH gone AS (DELETE FROM usage WHERE owner_id = OLD.id RETURNING ${counters})
          SELECT CAST(SUM(files) AS bigint) AS files, CAST(SUM(content_bytes) AS bigint) AS content_bytes,
            CAST(SUM(stream_bytes) AS bigint) AS stream_bytes, CAST(SUM(reserved_bytes) AS bigint) AS reserved_bytes
          INTO total FROM gone;
          IF total.files <> 0 OR total.content_bytes <> 0 OR total.stream_bytes <> 0 OR total.reserved_bytes <> 0 THEN
            PERFORM usage_add(OLD.tenant_id, -total.files, -total.content_bytes, -total.stream_bytes, -total.reserved_bytes);
          END IF;
          RETURN NULL;
        END`
      ),
      makeTrigger(
        "usage_tenant_deleted",
        "AFTER DELETE ON tenant FOR EACH ROW",
        "BEGIN DELETE FROM usage WHERE owner_id = OLD.id; RETURN NULL; END"
      )
    ],
    { discard: true }
  )
}

const sqlite = (sql: SqlClient) => {
  const makeTrigger = (name: string, event: string, body: string) =>
    sql.unsafe(`CREATE TRIGGER ${name} ${event} BEGIN ${body}; END`)
  /** Adds to both owners. A bucket that does not exist has no usage. */
  const add = (bucketId: string, deltas: string) =>
    `INSERT INTO usage (owner_id, shard, ${counters})
      SELECT id, 0, ${deltas} FROM bucket WHERE id = ${bucketId}
      UNION ALL SELECT tenant_id, 0, ${deltas} FROM bucket WHERE id = ${bucketId}
    ON CONFLICT (owner_id, shard) DO UPDATE SET ${addition}`
  const addSegment = (row: "NEW" | "OLD", sign: "" | "-") => {
    const blob = (column: string) => `(SELECT ${column} FROM blob WHERE blob.id = ${row}.blob_id)`
    return add(blob("bucket_id"), `0, 0, ${sign}COALESCE(${blob("size")}, 0), 0`)
  }
  return Effect.all(
    [
      makeTrigger(
        "usage_file_inserted",
        "AFTER INSERT ON file",
        add("NEW.bucket_id", "1, COALESCE(NEW.size, 0), 0, 0")
      ),
      makeTrigger(
        "usage_file_resized",
        "AFTER UPDATE OF size ON file WHEN OLD.size IS NOT NEW.size",
        add("NEW.bucket_id", "0, COALESCE(NEW.size, 0) - COALESCE(OLD.size, 0), 0, 0")
      ),
      makeTrigger(
        "usage_file_deleted",
        "AFTER DELETE ON file",
        add("OLD.bucket_id", "-1, -COALESCE(OLD.size, 0), 0, 0")
      ),
      makeTrigger(
        "usage_segment_inserted",
        "AFTER INSERT ON conversion_file WHEN NEW.blob_id IS NOT NULL",
        addSegment("NEW", "")
      ),
      makeTrigger(
        "usage_segment_deleted",
        "AFTER DELETE ON conversion_file WHEN OLD.blob_id IS NOT NULL",
        addSegment("OLD", "-")
      ),
      makeTrigger(
        "usage_blob_inserted",
        `AFTER INSERT ON blob WHEN ${reserves("NEW")}`,
        add("NEW.bucket_id", `0, 0, 0, ${reserved("NEW")}`)
      ),
      makeTrigger(
        "usage_blob_updated",
        `AFTER UPDATE OF state, reserved ON blob WHEN ${reserves("OLD")} OR ${reserves("NEW")}`,
        add("NEW.bucket_id", `0, 0, 0, ${reservedDifference}`)
      ),
      makeTrigger(
        "usage_blob_deleted",
        `AFTER DELETE ON blob WHEN ${reserves("OLD")} AND OLD.state = 'PENDING'`,
        add("OLD.bucket_id", "0, 0, 0, -OLD.reserved")
      ),
      // The rows of the bucket are those of one owner: an archive of PostgreSQL may have brought several.
      makeTrigger(
        "usage_bucket_deleted",
        "AFTER DELETE ON bucket",
        `INSERT INTO usage (owner_id, shard, ${counters})
          SELECT OLD.tenant_id, 0, -SUM(files), -SUM(content_bytes), -SUM(stream_bytes), -SUM(reserved_bytes)
          FROM usage WHERE owner_id = OLD.id GROUP BY owner_id
        ON CONFLICT (owner_id, shard) DO UPDATE SET ${addition};
        DELETE FROM usage WHERE owner_id = OLD.id`
      ),
      makeTrigger("usage_tenant_deleted", "AFTER DELETE ON tenant", "DELETE FROM usage WHERE owner_id = OLD.id")
    ],
    { discard: true }
  )
}

export const usageTriggers = Effect.flatMap(SqlClient, (sql) =>
  sql.onDialectOrElse({ pg: () => postgres(sql), orElse: () => sqlite(sql) })
)
