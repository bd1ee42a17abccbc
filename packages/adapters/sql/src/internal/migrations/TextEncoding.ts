/**
 * The encoding in which a database stores texts.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The database cannot store every text, or counts bytes where the statements count characters. */
export class WrongEncoding extends Data.TaggedError("WrongEncoding")<{ readonly found: string }> {
  override get message(): string {
    return `The database has the encoding ${this.found}, and Holdfast needs UTF8. Create another database with ENCODING 'UTF8' TEMPLATE template0.`
  }
}

/**
 * Fails unless the database stores Unicode. In `LATIN1` PostgreSQL refuses most names. In `SQL_ASCII`, which `initdb` chooses in the
 * locale `C`, its positions in texts count bytes, so that lists of folders with other letters than ASCII have wrong names. SQLite
 * always stores Unicode.
 */
export const check = (sql: SqlClient): Effect.Effect<void, SqlError | WrongEncoding> =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.flatMap(
        sql<{ readonly encoding: string }>`SELECT current_setting('server_encoding') AS encoding`,
        ([row]) =>
          row === undefined || row.encoding === "UTF8"
            ? Effect.void
            : Effect.fail(new WrongEncoding({ found: row.encoding }))
      ),
    orElse: () => Effect.void
  })
