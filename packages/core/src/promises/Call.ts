/**
 * What every part of the Promise door is built on.
 */
import type * as Effect from "effect/Effect"
import type * as Actor from "../Actor.ts"
import type { ActorHandle } from "./Actors.ts"
import type * as Runner from "./Runner.ts"

/** The tenant that an operation is about. */
export interface InTenant {
  readonly tenantId: string
}

/** Runs one operation for an actor; what every part of the door is built on. */
export type Call = <A, E>(
  actor: ActorHandle,
  input: object,
  options: Runner.CallOptions | undefined,
  operation: (actor: Actor.Actor) => Effect.Effect<A, E, Runner.PromiseApiServices>
) => Promise<A>
