/**
 * Records the statements of an effect.
 */
import * as Effect from "effect/Effect"
import { CurrentTransformer } from "effect/sql/Statement"

export type Recorded = readonly [text: string, parameters: ReadonlyArray<unknown>]

/** The statements that an effect runs, in order, besides those that begin and end transactions. */
export const statements = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<ReadonlyArray<Recorded>, E, R> =>
  Effect.suspend(() => {
    const recorded: Array<Recorded> = []
    return Effect.as(
      Effect.provideService(self, CurrentTransformer, (statement) => {
        recorded.push(statement.compile())
        return Effect.succeed(statement)
      }),
      recorded
    )
  })
