/**
 * The port for what concerns the database of a deployment as a whole.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { MetadataError } from "../MetadataError.ts"

export class DeploymentRepository extends Context.Service<
  DeploymentRepository,
  {
    /**
     * Fails unless the database answers and accepts changes: `Unavailable` for a database that is read-only, such as a standby of
     * PostgreSQL.
     */
    readonly check: Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/deployment/DeploymentRepository") {}
