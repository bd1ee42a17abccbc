/**
 * Who asks. An actor is an identity, not a set of rights: what it may do is looked up anew for every call, so that a
 * change of role, a removal or a revocation holds at once.
 */
import * as Data from "effect/Data"

export type Actor = Data.TaggedEnum<{
  /** The deployment itself: an operator's command line or the host program. Every permission, in every tenant. */
  System: {}
  /** The holder of an API key, known by the key's SHA-256 in hexadecimal. */
  Key: { readonly hash: string }
  /** An account that the host program has authenticated by its own means. */
  Account: { readonly accountId: string }
}>

const { Account, Key, System } = Data.taggedEnum<Actor>()

export const system: Actor = System()

/** The holder of the key with this hash; `ApiKey.identify` makes one from a presented key. */
export const key = (hash: string): Actor => Key({ hash })

/** An account that the host has authenticated itself. */
export const account = (accountId: string): Actor => Account({ accountId })
