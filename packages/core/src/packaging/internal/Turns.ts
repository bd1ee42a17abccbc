/**
 * Lets other fibers run while an index is built.
 */
import * as Effect from "effect/Effect"

/** Samples between two turns: those of a millisecond. A turn costs as much as some hundred samples. */
const samplesPerTurn = 16_384

export interface Turns {
  /** Lets other fibers run, if enough samples were handled since the last time. */
  readonly after: (samples: number) => Effect.Effect<void>
}

export const make = (): Turns => {
  let handled = 0
  return {
    after: (samples) => {
      handled += samples
      if (handled < samplesPerTurn) return Effect.void
      handled = 0
      return Effect.yieldNow
    }
  }
}
