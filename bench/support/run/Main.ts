/**
 * Runs the programs of the benchmarks, and what they print meanwhile.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import { attempt, type BenchFailure } from "./BenchFailure.ts"

/** Prints a line to standard error, so that standard output has the results only. */
export const printProgress = (line: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stderr.write(`${line}\n`))

/** Prints results to standard output. */
export const print = (text: string): Effect.Effect<void> => Effect.sync(() => void process.stdout.write(text))

/**
 * Parses the command line of this process and runs a program, which returns how many of its parts failed. Prints the usage for
 * `--help`. The exit code is 1 when a part or the program itself failed.
 */
export const runMain = <Arguments>(
  parse: (args: ReadonlyArray<string>) => Arguments | undefined,
  usage: string,
  run: (args: Arguments) => Effect.Effect<number, BenchFailure>
): void => {
  const exit = Effect.gen(function* () {
    const args = yield* attempt("Arguments", () => parse(process.argv.slice(2)))
    if (args === undefined) return yield* print(usage)
    if ((yield* run(args)) > 0) process.exitCode = 1
  }).pipe(
    Effect.catch(({ message }) =>
      Effect.andThen(
        printProgress(message),
        Effect.sync(() => void (process.exitCode = 1))
      )
    )
  )
  NodeRuntime.runMain(exit)
}
