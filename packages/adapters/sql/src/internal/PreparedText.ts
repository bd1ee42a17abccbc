/**
 * Statements of the hottest requests, whose text is built once: assembling it from its fragments for each request is
 * a considerable part of the time of a view.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment, Statement } from "effect/sql/Statement"
import type { Row } from "./Row.ts"

type Parameters<Name extends string> = Readonly<Record<Name, string>>

/** Makes the statement with these parameters, for any client of the same database. */
export type PreparedText<Name extends string> = (sql: SqlClient, parameters: Parameters<Name>) => Statement<Row>

/**
 * Builds the text of a statement.
 *
 * @param parameters The names of the parameters, each as its own value: `build` gets them and binds each of them somewhere.
 */
export const make = <Name extends string>(
  sql: SqlClient,
  parameters: { readonly [K in Name]: K },
  build: (parameters: Parameters<Name>) => Fragment
): PreparedText<Name> => {
  const [text, bound] = sql`${build(parameters)}`.compile()
  const names = bound as ReadonlyArray<Name>
  return (client, values) =>
    client.unsafe<Row>(
      text,
      names.map((name) => values[name])
    )
}
