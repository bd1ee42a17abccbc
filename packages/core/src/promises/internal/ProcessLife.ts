/**
 * What keeps the process alive: a call that runs, and nothing else. A program that forgets to close a Holdfast still ends.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The longest delay of a timer, in milliseconds. */
const longestDelay = 2 ** 31 - 1

/** Keeps the process alive until a promise is settled. */
export const keepAlive = async <A>(running: Promise<A>): Promise<A> => {
  const timer = setInterval(() => undefined, longestDelay)
  try {
    return await running
  } finally {
    clearInterval(timer)
  }
}

/** Lets the process end before the timer fires. Browsers have timers without this method. */
const unref = (timer: unknown): void => {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
    timer.unref()
}

const sleepMillis = (millis: number): Effect.Effect<void> => {
  if (millis <= 0) return Effect.yieldNow
  if (!Number.isFinite(millis)) return Effect.never
  return Effect.callback((resume) => {
    const rest = millis > longestDelay ? sleepMillis(millis - longestDelay) : Effect.void
    const timer = setTimeout(() => resume(rest), Math.min(millis, longestDelay))
    unref(timer)
    return Effect.sync(() => clearTimeout(timer))
  })
}

/** The machine's clock, whose sleeping fibers do not keep the process alive. */
export const layerClock: Layer.Layer<never> = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (clock) => ({
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
    currentTimeMillis: clock.currentTimeMillis,
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
    currentTimeNanos: clock.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => sleepMillis(Duration.toMillis(duration))
  }))
)
