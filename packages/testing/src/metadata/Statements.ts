/**
 * Records the statements of an effect, on any adapter that uses effect's SqlClient.
 */
import * as Effect from "effect/Effect"
import { CurrentTransformer } from "effect/sql/Statement"

export type Statement = readonly [text: string, parameters: ReadonlyArray<unknown>]

/** The statements that an effect runs, in order, besides those that begin and end transactions. */
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
