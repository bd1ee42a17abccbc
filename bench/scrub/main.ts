/**
 * `pnpm scrub`: measures the scrub, and checks that it finds damaged contents and that they are repaired. Exits with 1 when
 * one was not found, one with a copy was not repaired, or a step failed.
 */
import * as Effect from "effect/Effect"
import * as Main from "../support/run/Main.ts"
import * as Arguments from "./Arguments.ts"
import * as Result from "./Result.ts"
import * as Runner from "./Runner.ts"

/** Runs on each database. Returns on how many a content was not found or not repaired. */
const run = Effect.fnUntraced(function* (args: Arguments.Arguments) {
  let failures = 0
  for (const database of args.databases) {
    const result = yield* Runner.run(database, args)
    yield* Main.print(Result.render(result))
    if (!Result.isRight(result)) failures++
  }
  return failures
})

Main.runMain(Arguments.parse, Arguments.usage, run)
