/**
 * Whom the host of a mounted API has found to ask, by its own session or the like. Without a host, or where it does not
 * know, the key in the request tells.
 */
import type { Actor } from "@holdfast/core/Actor"
import type { Unauthenticated } from "@holdfast/core/Errors"
import type { MetadataError } from "@holdfast/core/MetadataError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Asks the host about the request that is being answered; undefined when it does not know who that is. */
export type AskHost = Effect.Effect<Actor | undefined, Unauthenticated | MetadataError>

export const HostActor = Context.Reference<AskHost | undefined>("@holdfast/http/auth/HostActor", {
  defaultValue: () => undefined
})
