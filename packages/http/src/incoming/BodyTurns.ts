/**
 * Divides the time of the event loop between requests whose bodies take milliseconds of it: large documents that are parsed, and contents
 * that are decoded and hashed. Such work proceeds in slices, and waits between them when it has used its share of a turn.
 */
import * as Effect from "effect/Effect"
import * as RequestTurns from "./RequestTurns.ts"

const turns = RequestTurns.make()

/**
 * Waits until work on a body may proceed: not at all while the budget of this turn of the event loop is not used, or else for one of the
 * next turns, after the work of the same owner that waits already.
 */
export const wait = (owner: string): Effect.Effect<void> =>
  Effect.suspend(() =>
    turns.mayStart(performance.now())
      ? Effect.void
      : Effect.callback<void>((resume) => turns.enqueue(owner, () => resume(Effect.void)))
  )
