/**
 * `pnpm bench [scenario…]`: measures the hot paths as ratios to bare Node in the same run. A ratio above its goal is
 * printed and is no failure. The exit status is 1 when a scenario failed to run.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Scenarios from "./scenarios/Scenarios.ts"
import * as Arguments from "./support/run/Arguments.ts"
import { attempt } from "./support/run/BenchFailure.ts"
import * as Runner from "./support/run/Runner.ts"

const program = Effect.gen(function* () {
  const args = yield* attempt("Arguments", () => Arguments.parse(process.argv.slice(2), Scenarios.all))
  if (args === undefined) return void process.stdout.write(Arguments.usage(Scenarios.all))
  const failures = yield* Effect.scoped(Runner.run(args))
  if (failures > 0) process.exitCode = 1
}).pipe(
  Effect.catch((failure) =>
    Effect.sync(() => {
      process.stderr.write(`${failure.message}\n`)
      process.exitCode = 1
    })
  )
)

NodeRuntime.runMain(program)
