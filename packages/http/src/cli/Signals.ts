/**
 * What the process does when it is told to stop: the first time orderly, the second time at once.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** The user broke a command off. */
export class InterruptedBySignal extends Data.TaggedError("Interrupted")<{ readonly signal: NodeJS.Signals }> {
  override get message(): string {
    return `Stopped by ${this.signal}.`
  }
}

const signals = ["SIGINT", "SIGTERM"] as const

/**
 * Signals within this many milliseconds are one: from a terminal, Ctrl-C reaches the process itself and again by way of
 * the package manager that runs it.
 */
const together = 1000

/** Waits for a signal. From then on a further one ends the process. */
const first: Effect.Effect<NodeJS.Signals> = Effect.callback((resume) => {
  let since: number | undefined
  const heard = (signal: NodeJS.Signals): void => {
    if (since === undefined) {
      since = performance.now()
      resume(Effect.succeed(signal))
    } else if (performance.now() - since > together) process.exit(1)
  }
  for (const signal of signals) process.on(signal, heard)
})

/** Runs until it ends or a signal comes; then it is interrupted, and what it holds is released. That is a success. */
export const runUntilSignal = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.asVoid(Effect.raceFirst(self, first))

/** The same for work that should come to an end: a signal is a failure. */
export const failOnSignal = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | InterruptedBySignal, R> =>
  Effect.raceFirst(
    self,
    Effect.flatMap(first, (signal) => Effect.fail(new InterruptedBySignal({ signal })))
  )
