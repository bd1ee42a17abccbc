/**
 * Records the SQL statements of an effect, with any adapter that uses effect's SqlClient.
 */
import * as Effect from "effect/Effect"
import { CurrentTransformer } from "effect/sql/Statement"

export type Statement = readonly [text: string, parameters: ReadonlyArray<unknown>]

/** Runs an effect and returns its statements, in order, without those that begin and end transactions. */
export const record = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<ReadonlyArray<Statement>, E, R> =>
  Effect.suspend(() => {
    const recorded: Array<Statement> = []
    return Effect.as(
      Effect.provideService(self, CurrentTransformer, (statement) => {
        recorded.push(statement.compile())
        return Effect.succeed(statement)
      }),
      recorded
    )
  })
