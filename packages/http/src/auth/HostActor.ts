/**
 * The actor that the host of a mounted API supplies from its own authentication, such as a session.
 * `ActorIdentification` uses the API key of the request if there is no host or the host supplies none.
 */
import type { Actor } from "@holdfast/core/Actor"
import type { Unauthenticated } from "@holdfast/core/Errors"
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** The host knows the actor, but does not accept this request from it. */
export interface HostRefusal {
  readonly code: "forbidden" | "invalid_request"
  readonly message: string
}

/** Asks the host for the actor of the current request; undefined if the host knows none. */
export type ResolveHostActor = Effect.Effect<Actor | undefined, HostRefusal | Unauthenticated | MetadataError>

/** How to ask the host; undefined without a host. */
export const HostActor = Context.Reference<ResolveHostActor | undefined>("@holdfast/http/auth/HostActor", {
  defaultValue: () => undefined
})
