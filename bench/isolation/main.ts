/**
 * `pnpm isolation [operation…]`: attacks the service, and runs large operations, while a client of another tenant reads a
 * small file. Exits with 1 when an operation failed to run, a read failed, or a read took longer than the goal.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import { attempt } from "../support/run/BenchFailure.ts"
import * as Arguments from "./Arguments.ts"
import * as Operations from "./operations/Operations.ts"
import * as Runner from "./Runner.ts"

const program = Effect.gen(function* () {
  const args = yield* attempt("Arguments", () => Arguments.parse(process.argv.slice(2), Operations.all))
  if (args === undefined) return void process.stdout.write(Arguments.usage(Operations.all))
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
