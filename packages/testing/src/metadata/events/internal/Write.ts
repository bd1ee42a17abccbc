/**
 * A call of a repository method that writes an event, with the event that it writes.
 */
import type { Action } from "@holdfast/core/events/Event"
import type { Metadata } from "@holdfast/core/Holdfast"
import * as Effect from "effect/Effect"

/** A change that is ready to be made. */
interface Prepared {
  /** Null for a change that concerns no tenant. */
  readonly tenantId: string | null
  readonly bucketId?: string
  /** The target of the event. */
  readonly id: string
  readonly name: string | null
  readonly detail?: object
  readonly change: Effect.Effect<unknown, unknown, Metadata>
}

export interface Write {
  readonly action: Action
  readonly prepare: Effect.Effect<Prepared, unknown, Metadata>
}

export const write = (action: Action, prepare: () => Effect.fn.Return<Prepared, unknown, Metadata>): Write => ({
  action,
  prepare: Effect.gen(prepare)
})
