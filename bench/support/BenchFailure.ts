/**
 * Something did not run. A ratio above its goal is a result, not a failure.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export class BenchFailure extends Data.TaggedError("BenchFailure")<{
  readonly message: string
  readonly cause?: unknown
}> {}

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A step that may reject or throw, under the name it has in the message. */
export const attempt = <A>(step: string, run: () => A | Promise<A>): Effect.Effect<A, BenchFailure> =>
  Effect.tryPromise({
    try: async () => run(),
    catch: (cause) => new BenchFailure({ message: `${step}: ${reason(cause)}`, cause })
  })
