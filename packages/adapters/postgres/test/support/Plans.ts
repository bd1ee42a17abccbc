/**
 * PostgreSQL's query plans, from EXPLAIN.
 */
import type * as Statements from "@holdfast/testing/metadata/Statements"
import * as Effect from "effect/Effect"
import { flow } from "effect/Function"
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
  /** Blocks that the step and those below it read, from memory and from the disk. */
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
  readonly Plans?: ReadonlyArray<ExecutedStep>
}

interface Nested<S> {
  readonly Plans?: ReadonlyArray<S>
}

const flatten = <S extends Nested<S>>(step: S): ReadonlyArray<S> => [
  step,
  ...(step.Plans ?? []).flatMap((below) => flatten(below))
]

/** Returns the last step of each statement's plan, which has the others below it. A SET has no plan. */
const explained = <S extends Step>(options: string) =>
  Effect.fnUntraced(function* (statements: ReadonlyArray<Statements.Statement>) {
    const sql = yield* SqlClient
    const queries = statements.filter(([text]) => !/^\s*SET/.test(text))
    const plans = yield* Effect.forEach(queries, ([text, parameters]) =>
      sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ readonly Plan: S }> }>(`EXPLAIN (${options}) ${text}`, parameters)
    )
    return plans.flat().flatMap((row) => row["QUERY PLAN"].map(({ Plan }) => Plan))
  })

const flattened = <S extends Nested<S>, E, R>(plans: Effect.Effect<ReadonlyArray<S>, E, R>) =>
  Effect.map(plans, (steps) => steps.flatMap((step) => flatten(step)))

const execute = explained<ExecutedStep>("ANALYZE, BUFFERS, FORMAT JSON")

/** Returns the steps of the statements' plans, without executing them. */
export const planned = flow(explained<Step>("FORMAT JSON"), (plans) => flattened(plans))

/** Executes the statements and returns the steps of their plans. */
export const executed = flow(execute, (plans) => flattened(plans))

/** Executes the statements and returns the number of blocks that they read. */
export const blocksRead = flow(
  execute,
  Effect.map((plans) => plans.reduce((sum, plan) => sum + plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], 0))
)

/** Returns the number of rows that a step read. */
export const rowsRead = (step: ExecutedStep): number =>
  (step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0)) * step["Actual Loops"]
