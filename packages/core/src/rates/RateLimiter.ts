/**
 * Limits how often each of many subjects does something, by the generic cell rate algorithm (GCRA): a subject may do `requests` at
 * once, and each of them becomes available again after a fraction of the window. In any window it does at most twice as many.
 *
 * The state of a subject is one number, the time at which all of its requests are available again. It is in the memory of this process.
 */
import * as Duration from "effect/Duration"
import type { Rate } from "../Settings.ts"

/** What a subject may still do. Times are in milliseconds. */
export interface RateState {
  readonly isWithin: boolean
  /** How many more requests it may make at once. */
  readonly remaining: number
  /** Time until all of its requests are available. */
  readonly resetAfter: number
  /** Time until its next request is within the rate; 0 if it is now. */
  readonly retryAfter: number
}

export interface RateLimiter {
  /** Counts a request if it is within the rate, at a time in epoch milliseconds. */
  readonly count: (subject: string, now: number) => RateState
  /** Counts requests that another process has admitted, whether they are within the rate here or not. */
  readonly add: (subject: string, requests: number, now: number) => void
  /** Returns what `count` would return, without counting. */
  readonly check: (subject: string, now: number) => RateState
  /** Returns the number of subjects in memory. */
  readonly size: () => number
}

/** The most subjects in memory: about 10 MB. */
const defaultCapacity = 65_536

/** Rounding of the sums of intervals, in milliseconds. */
const epsilon = 1e-6

/**
 * Makes a limiter. Above `capacity` subjects it forgets those that have made no request for longest: the flood of an attacker with
 * many addresses does not end the limit of a subject that goes on.
 */
export const make = ({ requests, window }: Rate, capacity = defaultCapacity): RateLimiter => {
  const whole = Duration.toMillis(window)
  const interval = whole / requests
  // When all requests of a subject are available again, in epoch milliseconds. There are two generations: forgetting the older
  // one as a whole takes no time, whereas a Map takes longer and longer to find its first entry behind the deleted ones.
  let younger = new Map<string, number>()
  let older = new Map<string, number>()
  let startedAt = Number.NEGATIVE_INFINITY

  /** Starts a generation when this one is full, or a window has passed: then all requests of the older one are available. */
  const turn = (now: number): void => {
    if (younger.size < capacity / 2 && Math.abs(now - startedAt) < whole) return
    older = younger
    younger = new Map()
    startedAt = now
  }

  const store = (subject: string, fullAt: number, now: number): void => {
    turn(now)
    older.delete(subject)
    younger.set(subject, fullAt)
  }

  /** A clock that is set back does not keep a subject waiting for longer than the window. */
  const resetAfterOf = (subject: string, now: number): number =>
    Math.min(Math.max((younger.get(subject) ?? older.get(subject) ?? 0) - now, 0), whole)

  const isWithin = (resetAfter: number): boolean => resetAfter + interval <= whole + epsilon

  const state = (isWithin: boolean, resetAfter: number): RateState => ({
    isWithin,
    remaining: Math.max(0, Math.floor((whole - resetAfter) / interval + epsilon)),
    resetAfter,
    retryAfter: isWithin ? 0 : resetAfter + interval - whole
  })

  return {
    count: (subject, now) => {
      const before = resetAfterOf(subject, now)
      const isAdmitted = isWithin(before)
      const resetAfter = isAdmitted ? before + interval : before
      store(subject, now + resetAfter, now)
      return state(isAdmitted, resetAfter)
    },
    add: (subject, requests, now) =>
      store(subject, now + Math.min(resetAfterOf(subject, now) + requests * interval, whole), now),
    check: (subject, now) => {
      const resetAfter = resetAfterOf(subject, now)
      return state(isWithin(resetAfter), resetAfter)
    },
    size: () => younger.size + older.size
  }
}
