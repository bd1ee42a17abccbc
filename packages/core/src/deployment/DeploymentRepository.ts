/**
 * The port for what concerns the database of a deployment as a whole.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
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
    /** Returns the recorded identity of the blob store; undefined when none is recorded. */
    readonly findStoreId: Effect.Effect<string | undefined, MetadataError>
    /** Records the identity of the blob store unless one is recorded. Returns the recorded one. */
    readonly claimStoreId: (id: string) => Effect.Effect<string, MetadataError>
    /** Records this identity of the blob store. */
    readonly replaceStoreId: (id: string) => Effect.Effect<void, MetadataError>
    /**
     * Makes due, in all queues, what is due more than two days from now, and in 31 days what is to be removed or expires later: DOOMED and
     * PENDING blobs, uploads in parts and ended deliveries. A clock was ahead. Returns their number. A worker that still works on such an
     * entry loses its lease.
     */
    readonly bringForward: (now: DateTime.Utc) => Effect.Effect<number, MetadataError>
  }
>()("@holdfast/core/deployment/DeploymentRepository") {}
