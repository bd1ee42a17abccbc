/**
 * The port of the calls of hooks that run after changes. A repository that changes a file writes a task in the transaction of the change,
 * if the `FileHooks` of its process have a hook for it (`hookedActions`).
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { Detail, EventActor } from "../../events/Event.ts"
import type { MetadataError } from "../../MetadataError.ts"

/** A call that is to be made. */
export interface HookTask {
  /** The id of the event of the change. */
  readonly id: string
  readonly at: DateTime.Utc
  readonly tenantId: string
  readonly bucketId: string | null
  readonly action: string
  readonly actor: EventActor
  readonly fileId: string | null
  /** The path and the name of the file. */
  readonly name: string | null
  readonly detail: Detail
  /** How often the task was claimed. */
  readonly attempts: number
}

export class HookTaskRepository extends Context.Service<
  HookTaskRepository,
  {
    /** Claims at most `limit` due tasks, the oldest first, until `leaseUntil`. */
    readonly claim: (claim: {
      readonly limit: number
      readonly now: DateTime.Utc
      readonly leaseUntil: DateTime.Utc
    }) => Effect.Effect<ReadonlyArray<HookTask>, MetadataError>

    /** Removes tasks whose calls have succeeded. */
    readonly complete: (ids: ReadonlyArray<string>) => Effect.Effect<void, MetadataError>

    /** Gives a task back, which is due again at this time. */
    readonly retry: (task: { readonly id: string; readonly dueAt: DateTime.Utc }) => Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/files/hooks/HookTaskRepository") {}
