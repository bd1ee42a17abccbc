/**
 * How PostgreSQL does statements, as it explains them.
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

/** One that was taken. */
export interface Taken extends Step {
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly Plans?: ReadonlyArray<Taken>
}

interface Nested<S> {
  readonly Plans?: ReadonlyArray<S>
}

const within = <S extends Nested<S>>(step: S): ReadonlyArray<S> => [
  step,
  ...(step.Plans ?? []).flatMap((below) => within(below))
]

const explained = <S extends Nested<S>>(how: string) =>
  Effect.fnUntraced(function* (statements: ReadonlyArray<Statements.Statement>) {
    const sql = yield* SqlClient
    const plans = yield* Effect.forEach(statements, ([text, parameters]) =>
      sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ readonly Plan: S }> }>(`EXPLAIN (${how}) ${text}`, parameters)
    )
    return plans.flat().flatMap((row) => row["QUERY PLAN"].flatMap(({ Plan }) => within(Plan)))
  })

/** The steps of statements, which are not run. */
export const planned = explained<Step>("FORMAT JSON")

/** The steps of statements, which are run. */
export const taken = explained<Taken>("ANALYZE, FORMAT JSON")

/** Rows that a step touched. */
export const touched = (step: Taken): number =>
  (step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0)) * step["Actual Loops"]
