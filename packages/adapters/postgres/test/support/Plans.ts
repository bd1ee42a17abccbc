/**
 * PostgreSQL's query plans, from EXPLAIN.
 */
import type * as Statements from "@holdfast/testing/metadata/Statements"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

/** A step of a plan. */
export interface Step {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Join Type"?: string
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<Step>
}

/** A step of a plan that was executed. */
export interface ExecutedStep extends Step {
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly Plans?: ReadonlyArray<ExecutedStep>
}

interface Nested<S> {
  readonly Plans?: ReadonlyArray<S>
}

const flatten = <S extends Nested<S>>(step: S): ReadonlyArray<S> => [
  step,
  ...(step.Plans ?? []).flatMap((below) => flatten(below))
]

const explained = <S extends Nested<S>>(options: string) =>
  Effect.fnUntraced(function* (statements: ReadonlyArray<Statements.Statement>) {
    const sql = yield* SqlClient
    const plans = yield* Effect.forEach(statements, ([text, parameters]) =>
      sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ readonly Plan: S }> }>(`EXPLAIN (${options}) ${text}`, parameters)
    )
    return plans.flat().flatMap((row) => row["QUERY PLAN"].flatMap(({ Plan }) => flatten(Plan)))
  })

/** Returns the steps of the statements' plans, without executing them. */
export const planned = explained<Step>("FORMAT JSON")

/** Executes the statements and returns the steps of their plans. */
export const executed = explained<ExecutedStep>("ANALYZE, FORMAT JSON")

/** Returns the number of rows that a step read. */
export const rowsRead = (step: ExecutedStep): number =>
  (step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0)) * step["Actual Loops"]
