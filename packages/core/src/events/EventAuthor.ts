/**
 * Who changes records. The repositories write it into the events of the changes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Identity, tokenOf } from "../access/Access.ts"
import type { EventActor } from "./Event.ts"

const system: EventActor = { kind: "SYSTEM", accountId: null, tokenId: null }

/** The actor of the events of what an effect changes. By default the deployment itself, as for background work. */
export const EventAuthor = Context.Reference<EventActor>("@holdfast/core/events/EventAuthor", {
  defaultValue: () => system
})

/** Returns who an identity is, as events and hooks say it. */
export const actorOf = (identity: Identity): EventActor => {
  if (identity === "system") return system
  const { account, credential } = identity
  const kind = tokenOf(identity) === undefined ? "ACCOUNT" : "TOKEN"
  return { kind, accountId: account.id, tokenId: credential?.id ?? null }
}

/** Runs the changes of an effect on behalf of an identity. Every service runs its changes with it. */
export const by =
  (identity: Identity) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(self, EventAuthor, actorOf(identity))
