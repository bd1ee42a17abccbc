/**
 * The port that looks up an actor's account, credential and membership. Each look-up is one statement.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { MetadataError } from "../MetadataError.ts"
import type { Permission } from "../Permission.ts"
import type { RoleId } from "../Role.ts"
import type { AllowedOrigins } from "./Origin.ts"
import type { Scope } from "./Scope.ts"

/** An actor's account, credential and membership in one tenant, as stored now. */
export interface Principal {
  readonly account: { readonly id: string; readonly email: string }
  /** The token or account key that the client presented; null for an account that the host program authenticated. */
  readonly credential: {
    readonly id: string
    /** The tenant that a token is tied to; null for an account key. */
    readonly tenantId: string | null
    readonly expiresAt: DateTime.Utc | null
    readonly revokedAt: DateTime.Utc | null
    /** The scope of a token; null for a token without one, and for an account key. */
    readonly scope: Scope | null
    /** The origins from whose pages a token may be used; null for any, and for an account key. */
    readonly allowedOrigins: AllowedOrigins | null
  } | null
  /** The membership that applies in the requested tenant; null when there is none. */
  readonly member: { readonly id: string; readonly role: RoleId } | null
}

/** A share, with its creator as stored now. */
export interface SharePrincipal {
  /** The creator. Its credential is the token that was presented; null for another key. */
  readonly creator: Principal
  readonly shareId: string
  readonly bucketId: string
  /** The folder whose files the share concerns. */
  readonly path: string
  readonly permissions: ReadonlyArray<Permission>
  /** How often the password of the share was set, changed or removed. */
  readonly passwordVersion: number
  /** When the share, by its own time and the rules of its bucket, expires; null for never. */
  readonly expiresAt: DateTime.Utc | null
}

/** One use of a token or an account key. */
export interface KeyUse {
  /** The token's or account key's id. */
  readonly credentialId: string
  readonly at: DateTime.Utc
}

export class AccessRepository extends Context.Service<
  AccessRepository,
  {
    /**
     * Finds the principal of the key with this hash. None when no key has the hash. `member` is null without a
     * `tenantId`. A token's membership is the one that the token is tied to; it applies in the token's own tenant only.
     */
    readonly findByKey: (query: {
      /** SHA-256 of the key, hexadecimal. */
      readonly hash: string
      readonly tenantId: string | undefined
    }) => Effect.Effect<Option.Option<Principal>, MetadataError>

    /** As `findByKey`, for the key with this id. */
    readonly findByCredential: (query: {
      readonly credentialId: string
      readonly tenantId: string
    }) => Effect.Effect<Option.Option<Principal>, MetadataError>

    /** Finds the principal of an account. None when there is no such account. `member` is null without a `tenantId`. */
    readonly findByAccount: (query: {
      readonly accountId: string
      readonly tenantId: string | undefined
    }) => Effect.Effect<Option.Option<Principal>, MetadataError>

    /**
     * Finds a share of the tenant and its creator. None when there is no such share, when its bucket permits no such share, and when its
     * creator is no member any more. `member` of the creator is the membership in the tenant.
     */
    readonly findByShare: (query: {
      readonly shareId: string
      readonly tenantId: string
    }) => Effect.Effect<Option.Option<SharePrincipal>, MetadataError>

    /** Whether a bucket exists in the tenant and is public. */
    readonly isPublic: (bucket: {
      readonly tenantId: string
      readonly bucketId: string
    }) => Effect.Effect<boolean, MetadataError>

    /** Records when keys were last used. Times earlier than the recorded one and unknown ids change nothing. */
    readonly recordUse: (uses: ReadonlyArray<KeyUse>) => Effect.Effect<void, MetadataError>
  }
>()("@holdfast/core/access/AccessRepository") {}
