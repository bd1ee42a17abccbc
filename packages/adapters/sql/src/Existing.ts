/**
 * Unique violations, told with the id of the row that stands in the way.
 */
import * as Effect from "effect/Effect"
import { SerializationError, SqlError } from "effect/sql/SqlError"
import * as Constraint from "./Constraint.ts"
import * as Row from "./Row.ts"
import type { RowFault } from "./SqlFailure.ts"

const id = Row.first((row) => Row.text(row, "id"))

/** The row that stood in the way was gone again, twice: the caller lost against concurrent changes. */
const vanished = (cause: unknown): SqlError =>
  new SqlError({
    reason: new SerializationError({ cause, message: "The row that stood in the way is gone.", operation: "execute" })
  })

/**
 * Turns the violation of a unique index into an error with the id of the existing row, looked up after the
 * statement was rolled back. If that row is gone by then, the statement is run once more.
 */
export const orTaken =
  <E1, E2>(
    index: Constraint.Unique,
    existing: Effect.Effect<ReadonlyArray<Row.Row>, E1>,
    taken: (existingId: string) => E2
  ) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | E1 | E2 | SqlError | RowFault, R> => {
    type Attempt = Effect.Effect<A, E | E1 | E2 | SqlError | RowFault, R>
    const attempt = (whenVanished: (violation: E) => Attempt): Attempt =>
      Effect.catchIf(self, Constraint.violates(index), (violation) =>
        Effect.flatMap(id(existing), (found) =>
          found._tag === "Some" ? Effect.fail(taken(found.value)) : whenVanished(violation)
        )
      )
    return attempt(() => attempt((violation) => Effect.fail(vanished(violation))))
  }
