/**
 * How fast contents are read and hashed that no request waits for: a part of a processor and of a disk remains for requests. A chunk takes
 * less than a millisecond, so that the pauses come after many of them, unlike those of a worker's steps (`workers/Pace`).
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Called after each chunk that is read, with its bytes. The reading waits for it. */
export type ReadPace = (bytes: number) => Effect.Effect<void>

export interface Speed {
  /** The share of the time in which the reading works; between 0 and 1. */
  readonly share: number
  /** Bytes per second at most; unlimited when absent. */
  readonly bytesPerSecond?: number | undefined
}

/** How long the reading works between two pauses, in milliseconds. */
const workMillis = 10

/** Makes the function that pauses after work, so that both limits of the speed hold. */
export const make = ({ bytesPerSecond, share }: Speed): Effect.Effect<ReadPace> =>
  Effect.map(Clock.currentTimeMillis, (begin) => {
    let since = begin
    let bytes = 0
    return (count) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        bytes += count
        const worked = now - since
        const allowed = bytesPerSecond === undefined ? 0 : (bytes / bytesPerSecond) * 1000
        if (worked < workMillis && allowed < workMillis) return Effect.void
        // A stalled store must not cause a pause of hours.
        const pause = Math.min(60_000, Math.max(worked / share, allowed) - worked)
        return Effect.map(Effect.sleep(Duration.millis(pause)), () => {
          since = now + pause
          bytes = 0
        })
      })
  })

/** Makes the pace of work on the thread that answers requests, which have the other half of the time. */
export const besideRequests: Effect.Effect<ReadPace> = make({ share: 0.5 })
