/**
 * The error of a benchmark step that could not run. A ratio above its goal is a result, not a failure.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export class BenchFailure extends Data.TaggedError("BenchFailure")<{
  readonly message: string
  readonly cause?: unknown
}> {}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Runs a step that may throw or reject. Its failure has the name of the step in its message. */
export const attempt = <A>(step: string, run: () => A | Promise<A>): Effect.Effect<A, BenchFailure> =>
  Effect.tryPromise({
    try: async () => run(),
    catch: (cause) => new BenchFailure({ message: `${step}: ${reasonOf(cause)}`, cause })
  })
