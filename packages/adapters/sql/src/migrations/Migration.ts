/**
 * What a migration consists of: steps that run one after the other. `Migrate` records each finished step, so that an
 * interrupted migration continues where it stopped.
 */
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { RowFault } from "../SqlFailure.ts"

type Statements<A> = Effect.Effect<A, SqlError | RowFault, SqlClient>

/** An index that a step creates. */
export interface NewIndex {
  readonly name: string
  readonly isUnique?: boolean
  /** The table with the columns and the condition, as after `ON` in `CREATE INDEX`. */
  readonly on: string
}

/**
 * - `Change`: statements that change the schema, in one transaction. They take a short time whatever the tables hold.
 * - `Index`: a new index. On PostgreSQL the table stays writable while the index is built.
 * - `Batches`: a change of many rows, in one transaction for each batch. `run` gets the position after which the batch
 *   begins, at first null, and returns the position of its last row; null after the last batch. Other nodes may run the
 *   former version meanwhile.
 */
export type Step =
  | { readonly _tag: "Change"; readonly run: Statements<unknown> }
  | { readonly _tag: "Index"; readonly index: NewIndex }
  | { readonly _tag: "Batches"; readonly run: (position: string | null) => Statements<string | null> }

export interface Migration {
  readonly id: number
  readonly name: string
  readonly steps: ReadonlyArray<Step>
}

export const change = (run: Statements<unknown>): Step => ({ _tag: "Change", run })
export const index = (index: NewIndex): Step => ({ _tag: "Index", index })
export const batches = (run: (position: string | null) => Statements<string | null>): Step => ({ _tag: "Batches", run })

/** Returns the statement that creates an index. `CONCURRENTLY` is a keyword of PostgreSQL. */
export const createIndex = ({ isUnique, name, on }: NewIndex, keyword: "" | "CONCURRENTLY" = ""): string =>
  `CREATE ${isUnique === true ? "UNIQUE " : ""}INDEX ${keyword} IF NOT EXISTS ${name} ON ${on}`

const runPlainly = (step: Step): Statements<unknown> => {
  switch (step._tag) {
    case "Change":
      return step.run
    case "Index":
      return Effect.flatMap(SqlClient, (sql) => sql.unsafe(createIndex(step.index)))
    case "Batches":
      return Effect.gen(function* () {
        let position: string | null = null
        do {
          position = yield* step.run(position)
        } while (position !== null)
      })
  }
}

/** Runs steps without recording them: for a database that no process uses yet. */
export const runAll = (steps: ReadonlyArray<Step>): Statements<void> =>
  Effect.forEach(steps, runPlainly, { discard: true })
