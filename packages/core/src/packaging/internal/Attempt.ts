/**
 * Runs code that throws a `PackagingError`.
 */
import * as Effect from "effect/Effect"
import { malformed, PackagingError } from "../PackagingError.ts"

/** Returns the result of a function. A `RangeError`, which `DataView` throws for a read past its end, becomes a `PackagingError`. */
export const attempt = <A>(run: () => A): Effect.Effect<A, PackagingError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (cause) {
      if (cause instanceof PackagingError) return Effect.fail(cause)
      if (cause instanceof RangeError) return Effect.fail(malformed("A box is too short for what it declares."))
      throw cause
    }
  })
