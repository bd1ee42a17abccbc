/**
 * The tables of a database, as its catalog has them: a copy includes the tables of every migration.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Row from "../Row.ts"

export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
}

/** The tables of the migrator. The schema of both databases is made by migrations. */
const isOfMigrator = (name: string): boolean => name.startsWith("holdfast_migration")

const columns = (sql: SqlClient) =>
  sql
    .onDialectOrElse({
      pg: () => sql`SELECT relname AS name, attname AS column_name
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace) AND attnum > 0 AND NOT attisdropped
        ORDER BY relname, attnum`,
      orElse: () => sql`SELECT sqlite_master.name AS name, info.name AS column_name
        FROM sqlite_master, pragma_table_info(sqlite_master.name) AS info
        WHERE sqlite_master.type = 'table' AND sqlite_master.name NOT LIKE 'sqlite%' ORDER BY sqlite_master.name, info.cid`
    })
    .pipe(Row.all((row) => [Row.text(row, "name"), Row.text(row, "column_name")] as const))

/** Returns the pairs of a table and a table that it refers to. */
const references = (sql: SqlClient) =>
  sql
    .onDialectOrElse({
      pg: () => sql`SELECT child.relname AS child, parent.relname AS parent FROM pg_constraint
        JOIN pg_class AS child ON child.oid = conrelid JOIN pg_class AS parent ON parent.oid = confrelid
        WHERE contype = 'f' AND child.relnamespace = CAST(current_schema() AS regnamespace)`,
      orElse: () => sql`SELECT sqlite_master.name AS child, reference."table" AS parent
        FROM sqlite_master, pragma_foreign_key_list(sqlite_master.name) AS reference WHERE sqlite_master.type = 'table'`
    })
    .pipe(Row.all((row) => [Row.text(row, "child"), Row.text(row, "parent")] as const))

/** Returns the tables with records. A table follows those that it refers to. */
export const tables = Effect.fnUntraced(function* (sql: SqlClient) {
  const byName = new Map<string, Array<string>>()
  for (const [name, column] of yield* columns(sql)) {
    if (!isOfMigrator(name)) byName.set(name, [...(byName.get(name) ?? []), column])
  }
  const pairs = yield* references(sql)
  const ordered = new Set<string>()
  const add = (name: string): void => {
    if (ordered.has(name)) return
    for (const [child, parent] of pairs) if (child === name && parent !== name) add(parent)
    ordered.add(name)
  }
  for (const name of byName.keys()) add(name)
  return Array.from(ordered, (name): Table => ({ name, columns: byName.get(name) ?? [] }))
})

/** Excludes other writers of the tables until the transaction ends. A transaction of SQLite is the only writer. */
export const exclude = (sql: SqlClient, tables: ReadonlyArray<Table>) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.forEach(tables, ({ name }) => sql`LOCK TABLE ${sql(name)} IN SHARE ROW EXCLUSIVE MODE`, { discard: true }),
    orElse: () => Effect.void
  })
