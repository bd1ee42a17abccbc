/**
 * The port that answers who an actor is and what role it has, in one statement each.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Account } from "../accounts/Account.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { RoleId } from "../Role.ts"

/** An actor's standing with respect to one tenant, as of now. */
export interface Standing {
  readonly account: Account
  /** The token or account key that was presented; null for an account that the host authenticated. */
  readonly credential: {
    readonly id: string
    /** The tenant that a token is tied to; null for an account key. */
    readonly tenantId: string | null
    readonly expiresAt: DateTime.Utc | null
    readonly revokedAt: DateTime.Utc | null
  } | null
  /** The membership that counts in the tenant asked about; null when there is none. */
  readonly member: { readonly id: string; readonly role: RoleId } | null
}

/** A use of a key, to be remembered. */
export interface Use {
  /** The token's or account key's id. */
  readonly credentialId: string
  readonly at: DateTime.Utc
}

export class AccessRepository extends Context.Service<
  AccessRepository,
  {
    /**
     * The standing of the key with this hash in a tenant, or in none (`undefined`). For a token the membership is the
     * one it is tied to, and counts in its own tenant alone. None when no key has this hash.
     */
    readonly byKey: (
      hash: string,
      tenantId: string | undefined
    ) => Effect.Effect<Option.Option<Standing>, MetadataError>

    /** The standing of an account in a tenant, or in none. */
    readonly byAccount: (
      accountId: string,
      tenantId: string | undefined
    ) => Effect.Effect<Option.Option<Standing>, MetadataError>

    /** Notes when keys were last used; a time earlier than the noted one changes nothing, nor does an unknown key. */
    readonly touch: (uses: ReadonlyArray<Use>) => Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/access/AccessRepository") {}
