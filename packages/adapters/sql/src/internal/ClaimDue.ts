/**
 * Claims rows of which mostly none is due.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Searches, each after another worker claimed the row that was found. */
const maxSearches = 5

/**
 * Claims the row that is found, if it is still due. Searches before it writes: mostly no row is due, and a write on SQLite waits for all
 * others.
 */
export const claimDue = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  find: Effect.Effect<Option.Option<string>, E, R>,
  claim: (id: string) => Effect.Effect<Option.Option<A>, E2, R2>
): Effect.fn.Return<Option.Option<A>, E | E2, R | R2> {
  for (let count = 0; count < maxSearches; count++) {
    const found = yield* find
    if (Option.isNone(found)) break
    const claimed = yield* claim(found.value)
    if (Option.isSome(claimed)) return claimed
  }
  return Option.none()
})
