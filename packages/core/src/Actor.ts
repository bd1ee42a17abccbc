/**
 * Actors: the identities on whose behalf service methods run.
 *
 * An actor is an identity, not a set of permissions. Every call looks up its permissions, so that a change of role, a removal
 * or a revocation takes effect at once.
 */
import * as Data from "effect/Data"

export type Actor = Data.TaggedEnum<{
  /** The deployment itself: the operator's command line or the host program. It has every permission in every tenant. */
  System: {}
  /**
   * The holder of an API key. `hash` is the key's SHA-256, hexadecimal. `isParent` for a request that does not present the key, but
   * a link or playback key that was made with it.
   */
  Key: { readonly hash: string; readonly isParent: boolean }
  /** An account that the host program has authenticated itself. */
  Account: { readonly accountId: string }
  /**
   * The holder of a share. It acts on behalf of the creator of the share, within what the share permits, until the password of the share
   * is set, changed or removed: then the share has another `passwordVersion`.
   */
  Share: { readonly shareId: string; readonly passwordVersion: number }
}>

const { Account, Key, Share, System } = Data.taggedEnum<Actor>()

export const system: Actor = System()

/** Returns the actor for the key with this hash. `ApiKey.identify` returns the actor for a presented key. */
export const key = (hash: string): Actor => Key({ hash, isParent: false })

/** Returns the actor on whose behalf a link or playback key works that was made with the key with this hash. */
export const parentKey = (hash: string): Actor => Key({ hash, isParent: true })

/** Returns the actor for an account that the host program has authenticated itself. */
export const account = (accountId: string): Actor => Account({ accountId })

/** Returns the actor on whose behalf the holder of a share reads or uploads. */
export const share = (shareId: string, passwordVersion: number): Actor => Share({ shareId, passwordVersion })
