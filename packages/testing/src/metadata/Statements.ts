/**
 * Records the SQL statements of an effect, or runs changes between them, with any adapter that uses effect's SqlClient.
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

/** Runs an effect, and a change after its first statement, before the second one. Without a second one the change runs at the end. */
export const withChangeAfterFirst = <A, E, R, A2, E2, R2>(
  self: Effect.Effect<A, E, R>,
  change: Effect.Effect<A2, E2, R2>
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R2>()
    const changing = yield* Effect.cached(
      Effect.provideService(Effect.provideContext(change, context), CurrentTransformer, undefined)
    )
    let statements = 0
    const result = yield* Effect.provideService(self, CurrentTransformer, (statement) =>
      Effect.as(++statements === 2 ? Effect.orDie(changing) : Effect.void, statement)
    )
    yield* changing
    return result
  })
