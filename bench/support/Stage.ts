/**
 * What a scenario is given to run with.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { BenchFailure } from "./BenchFailure.ts"
import type { Database } from "./fixtures/Database.ts"
import type { Load } from "./load/Load.ts"
import type { Comparison } from "./stats/Comparison.ts"
import type { Sizes } from "./fixtures/Sizes.ts"

export interface Stage {
  /** Empty at first, and the scenario's own. */
  readonly directory: string
  readonly database: Database
  readonly sizes: Sizes
  readonly load: Load
  /** Where the service leaves profiles of its processor time, if it shall. */
  readonly profile: string | undefined
}

export interface Scenario {
  /** How the command line names it. */
  readonly name: string
  /** What is measured, for the help text. */
  readonly about: string
  readonly run: (stage: Stage) => Effect.Effect<ReadonlyArray<Comparison>, BenchFailure, Scope.Scope>
}
