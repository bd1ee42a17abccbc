/**
 * Triggers that make a file pending for each mirror of its bucket, in the statement that changes the file. A copy has content,
 * name, headers and metadata, so other changes do not count. A file without content has no copy.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

/**
 * A leased task stays due at the end of its lease: when the worker completes the task, the repository finds it pending again.
 */
const upsert = (file: "NEW" | "OLD", now: string, least: "LEAST" | "MIN") => `INSERT INTO mirror_task
    (mirror_id, file_id, bytes, wanted, done, wanted_at, due_at, attempts)
  SELECT mirror.id, ${file}.id, ${file === "NEW" ? "NEW.size" : "0"}, 1, 0, ${now}, ${file}.updated_at, 0 FROM mirror
  WHERE bucket_id = ${file}.bucket_id AND removed = 0 ORDER BY mirror.id
  ON CONFLICT (mirror_id, file_id) DO UPDATE SET
    bytes = excluded.bytes,
    wanted = mirror_task.wanted + 1,
    wanted_at = CASE WHEN mirror_task.done < mirror_task.wanted THEN mirror_task.wanted_at ELSE excluded.wanted_at END,
    due_at = CASE WHEN mirror_task.lease IS NOT NULL THEN mirror_task.due_at
      WHEN mirror_task.done < mirror_task.wanted THEN ${least}(mirror_task.due_at, excluded.due_at)
      ELSE excluded.due_at END;`

const columns = "path, name, headers, metadata, blob_id"

const changed = (differ: (column: string) => string) =>
  `NEW.blob_id IS NOT NULL AND (${columns.split(", ").map(differ).join(" OR ")})`

export const mirrorTriggers = Effect.gen(function* () {
  const sql = yield* SqlClient
  const run = (statement: string) => sql.unsafe(statement)

  yield* sql.onDialectOrElse({
    // The creation of a mirror waits for writers that do not see the mirror yet: they have this lock, shared, from before they
    // read the mirrors until they commit. Each statement of the function sees what was committed before it.
    pg: () => {
      const now = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)"
      const begin = (file: "NEW" | "OLD") =>
        `PERFORM pg_advisory_xact_lock_shared(hashtextextended('mirror ' || ${file}.bucket_id, 0));`
      const make = (name: string, file: "NEW" | "OLD", time: string) =>
        run(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $body$
          BEGIN
            ${begin(file)}
            ${upsert(file, time, "LEAST")}
            RETURN NULL;
          END $body$`)
      const when = changed((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`)
      return Effect.all(
        [
          make("mirror_file_written", "NEW", "NEW.updated_at"),
          make("mirror_file_removed", "OLD", now),
          run(`CREATE TRIGGER mirror_file_inserted AFTER INSERT ON file FOR EACH ROW WHEN (NEW.blob_id IS NOT NULL)
            EXECUTE FUNCTION mirror_file_written()`),
          run(`CREATE TRIGGER mirror_file_updated AFTER UPDATE OF ${columns} ON file FOR EACH ROW WHEN (${when})
            EXECUTE FUNCTION mirror_file_written()`),
          run(`CREATE TRIGGER mirror_file_deleted AFTER DELETE ON file FOR EACH ROW WHEN (OLD.blob_id IS NOT NULL)
            EXECUTE FUNCTION mirror_file_removed()`)
        ],
        { discard: true }
      )
    },
    orElse: () => {
      const now = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
      const when = changed((column) => `OLD.${column} IS NOT NEW.${column}`)
      return Effect.all(
        [
          run(`CREATE TRIGGER mirror_file_inserted AFTER INSERT ON file FOR EACH ROW WHEN NEW.blob_id IS NOT NULL
            BEGIN ${upsert("NEW", "NEW.updated_at", "MIN")} END`),
          run(`CREATE TRIGGER mirror_file_updated AFTER UPDATE OF ${columns} ON file FOR EACH ROW WHEN ${when}
            BEGIN ${upsert("NEW", "NEW.updated_at", "MIN")} END`),
          run(`CREATE TRIGGER mirror_file_deleted AFTER DELETE ON file FOR EACH ROW WHEN OLD.blob_id IS NOT NULL
            BEGIN ${upsert("OLD", now, "MIN")} END`)
        ],
        { discard: true }
      )
    }
  })
})
