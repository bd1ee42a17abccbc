/**
 * The minimum rate of transfers. Without one, a client that sends or reads a byte now and then would occupy a connection, an
 * upload's lease and buffers without end.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

export interface MinimumRate {
  readonly bytesPerSecond: number
  /** The time over which the rate is averaged: time in which the service waited for the client, not for a disk. */
  readonly window: Duration.Duration
}

/** The minimum rate of uploads. */
export const MinimumRate = Context.Reference<MinimumRate>("@holdfast/http/transfer/MinimumRate", {
  defaultValue: () => ({ bytesPerSecond: 1024, window: Duration.minutes(1) })
})

/** Measures one transfer. */
export interface Meter {
  /** Counts transferred bytes. */
  readonly count: (bytes: number) => void
  /** Adds milliseconds for which the service waited. Returns whether the client was too slow for a whole window. */
  readonly isTooSlowAfter: (milliseconds: number) => boolean
}

/** A meter. The windows follow each other, so that a fast beginning does not excuse a slow rest. */
export const makeMeter = (rate: MinimumRate): Meter => {
  const window = Duration.toMillis(rate.window)
  const least = (rate.bytesPerSecond * window) / 1000
  let waited = 0
  let transferred = 0
  return {
    count: (bytes) => {
      transferred += bytes
    },
    isTooSlowAfter: (milliseconds) => {
      waited += milliseconds
      if (waited < window) return false
      // A wait may be longer than a window.
      const isTooSlow = transferred < (least * waited) / window
      waited = 0
      transferred = 0
      return isTooSlow
    }
  }
}
