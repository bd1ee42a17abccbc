/**
 * An attack by one tenant, or a large operation, during which another tenant must not wait.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { BenchFailure } from "../support/run/BenchFailure.ts"
import type { Site } from "./Site.ts"

export interface Prepared {
  /** Runs while the neighbour is observed. Returns what happened, for the table. */
  readonly work: Effect.Effect<string, BenchFailure, Scope.Scope>
}

export interface Operation {
  /** The name on the command line. */
  readonly name: string
  /** What the attacker does, for the help text. */
  readonly description: string
  /** The databases that it has a meaning for; both when absent. */
  readonly databases?: ReadonlyArray<"sqlite" | "postgres">
  /** Makes what the work needs, without being observed. The scope closes after the observation. */
  readonly prepare: (site: Site) => Effect.Effect<Prepared, BenchFailure, Scope.Scope>
}
