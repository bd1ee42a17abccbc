/**
 * `pnpm isolation [operation…]`: attacks the service, and runs large operations, while a client of another tenant reads a
 * small file. Exits with 1 when an operation failed to run, a read failed, or a read took longer than the goal.
 */
import * as Effect from "effect/Effect"
import * as Main from "../support/run/Main.ts"
import * as Arguments from "./Arguments.ts"
import * as Operations from "./operations/Operations.ts"
import * as Runner from "./Runner.ts"

Main.runMain(
  (args) => Arguments.parse(args, Operations.all),
  Arguments.usage(Operations.all),
  (args) => Effect.scoped(Runner.run(args))
)
