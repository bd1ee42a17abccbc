/**
 * Statements of the hottest requests, whose text is built once for each client: assembling it from its fragments for each request is
 * a considerable part of the time of a view, and a tenth of that of a small upload.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { CurrentTransformer, type Fragment, type Statement } from "effect/sql/Statement"
import type { Row } from "./Row.ts"

type Value = string | number | null

/** Values of parameters by name. */
export type Parameters<Name extends string> = Readonly<Record<Name, Value>>

export interface PreparedText<Name extends string> {
  readonly names: ReadonlyArray<Name>
  /** Returns the statement as a fragment, with the name of each parameter as its value. */
  readonly build: (sql: SqlClient, names: Readonly<Record<Name, string>>) => Fragment
  /** Returns the statement with these parameters. */
  readonly statement: (sql: SqlClient, parameters: Parameters<Name>) => Statement<Row>
  /** Runs the statement. In a transaction, and unless requests are traced, it runs on the connection without a span. */
  readonly run: (sql: SqlClient, parameters: Parameters<Name>) => Effect.Effect<ReadonlyArray<Row>, SqlError>
}

interface Compiled<Name extends string> {
  readonly text: string
  /** The names of the parameters in the order in which the text binds them. */
  readonly bound: ReadonlyArray<Name>
}

/**
 * Defines a statement.
 *
 * @param names The names of the parameters. `build` gets each name as the value of its parameter, and must bind it as it is.
 */
export const define = <Name extends string>(
  names: ReadonlyArray<Name>,
  build: PreparedText<Name>["build"]
): PreparedText<Name> => {
  const texts = new WeakMap<SqlClient, Compiled<Name>>()

  const compile = (sql: SqlClient): Compiled<Name> => {
    const byName = Object.fromEntries(names.map((name) => [name, name])) as Record<Name, Name>
    const [text, values] = sql`${build(sql, byName)}`.compile()
    const compiled = { text, bound: values as ReadonlyArray<Name> }
    texts.set(sql, compiled)
    return compiled
  }

  const valuesOf = (bound: ReadonlyArray<Name>, parameters: Parameters<Name>) => bound.map((name) => parameters[name])

  const statement = (sql: SqlClient, parameters: Parameters<Name>): Statement<Row> => {
    const { bound, text } = texts.get(sql) ?? compile(sql)
    return sql.unsafe<Row>(text, valuesOf(bound, parameters))
  }

  return {
    names,
    build,
    statement,
    run: (sql, parameters) =>
      Effect.withFiber((fiber) => {
        const level = Context.getOrUndefined(fiber.context, sql.transactionService)
        const isPlain = !fiber.getRef(References.TracerEnabled) && fiber.getRef(CurrentTransformer) === undefined
        if (level === undefined || !isPlain) return statement(sql, parameters)
        const { bound, text } = texts.get(sql) ?? compile(sql)
        return level[0].execute(text, valuesOf(bound, parameters), undefined)
      })
  }
}
