/**
 * Lets other fibers run while an index is built.
 */
import * as Effect from "effect/Effect"
import type { PackagingError } from "../PackagingError.ts"
import { attempt } from "./Attempt.ts"

/** Samples between two turns: those of a millisecond. A turn costs as much as some hundred samples. */
const samplesPerTurn = 16_384

/**
 * Runs a step for each number below `count`, in their order. A step returns how many samples it has handled; it may throw a
 * `PackagingError`, with which the whole fails.
 */
export const forEach = (count: number, step: (index: number) => number): Effect.Effect<void, PackagingError> =>
  Effect.suspend(() => {
    let next = 0
    const turn: Effect.Effect<void, PackagingError> = attempt(() => {
      for (let handled = 0; next < count && handled < samplesPerTurn; next++) handled += step(next)
      return next < count
    }).pipe(Effect.flatMap((goesOn) => (goesOn ? Effect.andThen(Effect.yieldNow, turn) : Effect.void)))
    return turn
  })
