/**
 * A scenario of the benchmarks, and what it runs with.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Database } from "../fixtures/Database.ts"
import type { Sizes } from "../fixtures/Sizes.ts"
import type { RunLoad } from "../load/LoadProcess.ts"
import type { Comparison } from "../stats/Comparison.ts"
import type { BenchFailure } from "./BenchFailure.ts"

export interface ScenarioContext {
  /** Empty at first, and used by this scenario alone. */
  readonly directory: string
  readonly database: Database
  readonly sizes: Sizes
  readonly runLoad: RunLoad
  /** The directory in which the service stores its CPU profiles; undefined for none. */
  readonly profile: string | undefined
}

export interface Scenario {
  /** The name on the command line. */
  readonly name: string
  /** What is measured, for the help text. */
  readonly description: string
  readonly run: (context: ScenarioContext) => Effect.Effect<ReadonlyArray<Comparison>, BenchFailure, Scope.Scope>
}
