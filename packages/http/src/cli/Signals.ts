/**
 * Reaction to SIGHUP, SIGINT and SIGTERM: the first signal stops the command in order, a later one exits at once. A terminal that closes
 * sends SIGHUP. Node handles it also under nohup, because it resets the signals that its parent ignores.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** A signal interrupted the command. */
export class InterruptedBySignal extends Data.TaggedError("InterruptedBySignal")<{ readonly signal: NodeJS.Signals }> {
  override get message(): string {
    return `Stopped by ${this.signal}.`
  }
}

const signals = ["SIGHUP", "SIGINT", "SIGTERM"] as const

/**
 * Milliseconds after the first signal in which further signals are ignored. On Ctrl-C in a terminal, the process gets
 * the signal twice: from the terminal, and from the package manager that runs it.
 */
const repetitionWindow = 1000

/**
 * Lets writes to a terminal that has closed fail without a result: the error of one (EIO) would end the process before it releases what it
 * has, such as the hold of a backup.
 */
const ignoreClosedTerminal = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.isTTY) continue
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EIO") throw error
    })
  }
}

/** Waits for the first signal. After it, another signal outside the window exits the process with code 1. */
const firstSignal: Effect.Effect<NodeJS.Signals> = Effect.callback((resume) => {
  ignoreClosedTerminal()
  let firstAt: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = performance.now()
      resume(Effect.succeed(signal))
    } else if (performance.now() - firstAt > repetitionWindow) process.exit(1)
  }
  for (const signal of signals) process.on(signal, onSignal)
})

/**
 * Runs an effect until it ends or a signal arrives. A signal interrupts it, releases its resources, and is a success.
 */
export const runUntilSignal = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.asVoid(Effect.raceFirst(self, firstSignal))

/**
 * Runs a process that a supervisor stops: until the effect ends, `stopped` returns or SIGTERM arrives. A terminal sends SIGINT and SIGHUP
 * to all processes at once; the supervisor alone acts on them.
 */
export const runUntilStopped = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  stopped: Effect.Effect<void>
): Effect.Effect<void, E, R> => {
  const terminated = Effect.callback<void>((resume) => {
    ignoreClosedTerminal()
    for (const signal of ["SIGHUP", "SIGINT"] as const) process.on(signal, () => undefined)
    process.on("SIGTERM", () => resume(Effect.void))
  })
  return Effect.asVoid(Effect.raceFirst(self, Effect.raceFirst(stopped, terminated)))
}

/** Runs an effect that should run to its end. A signal interrupts it and is a failure. */
export const failOnSignal = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | InterruptedBySignal, R> =>
  Effect.raceFirst(
    self,
    Effect.flatMap(firstSignal, (signal) => Effect.fail(new InterruptedBySignal({ signal })))
  )
