/**
 * `pnpm scrub`: measures the scrub, and checks that it finds damaged contents and that they are repaired. Exits with 1 when
 * one was not found, one with a copy was not repaired, or a step failed.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import { attempt } from "../support/run/BenchFailure.ts"
import * as Arguments from "./Arguments.ts"
import * as Result from "./Result.ts"
import * as Runner from "./Runner.ts"

const program = Effect.gen(function* () {
  const args = yield* attempt("Arguments", () => Arguments.parse(process.argv.slice(2)))
  if (args === undefined) return void process.stdout.write(Arguments.usage)
  for (const database of args.databases) {
    const result = yield* Runner.run(database, args)
    process.stdout.write(Result.render(result))
    if (!Result.isRight(result)) process.exitCode = 1
  }
}).pipe(
  Effect.catch((failure) =>
    Effect.sync(() => {
      process.stderr.write(`${failure.message}\n`)
      process.exitCode = 1
    })
  )
)

NodeRuntime.runMain(program)
