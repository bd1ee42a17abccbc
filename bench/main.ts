/**
 * `pnpm bench [scenario…]`: measures the hot paths as ratios to bare Node in the same run. A ratio above its goal is
 * printed and is no failure. The exit status is 1 when a scenario failed to run.
 */
import * as Effect from "effect/Effect"
import * as Scenarios from "./scenarios/Scenarios.ts"
import * as Arguments from "./support/run/Arguments.ts"
import * as Main from "./support/run/Main.ts"
import * as Runner from "./support/run/Runner.ts"

Main.runMain(
  (args) => Arguments.parse(args, Scenarios.all),
  Arguments.usage(Scenarios.all),
  (args) => Effect.scoped(Runner.run(args))
)
