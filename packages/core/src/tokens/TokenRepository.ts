/**
 * The port that stores API tokens. Each method is one atomic step on one tenant.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Forbidden, InvalidRequest, NotFound, Unauthenticated, QuotaExceeded } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Slice } from "../Page.ts"
import type { StoredS3Secret } from "./S3Credential.ts"
import type { Token } from "./Token.ts"

export class TokenRepository extends Context.Service<
  TokenRepository,
  {
    /**
     * Stores a token. Fails with `NotFound` (member) when the tenant has no such member, and with `Forbidden` or
     * `Unauthenticated` when its creator has been removed, demoted or revoked meanwhile, also at the same time.
     */
    readonly create: (creation: {
      readonly tenantId: string
      readonly token: Token
      /** SHA-256 of the token's key, hexadecimal. */
      readonly hash: string
    }) => Effect.Effect<void, NotFound | Forbidden | Unauthenticated | InvalidRequest | QuotaExceeded | MetadataError>

    readonly find: (tenantId: string, tokenId: string) => Effect.Effect<Option.Option<Token>, MetadataError>

    /** Lists a tenant's tokens, ordered by id, with revoked and expired ones. */
    readonly list: (query: { readonly tenantId: string } & Slice) => Effect.Effect<ReadonlyArray<Token>, MetadataError>

    /** Revokes a token permanently; false when there is none. Idempotent: the first revocation time stays. */
    readonly revoke: (revocation: {
      readonly tenantId: string
      readonly tokenId: string
      readonly at: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /** Stores the sealed S3 secret of a token, in place of a former one; false when there is no such token that is not revoked. */
    readonly putS3Secret: (secret: {
      readonly tenantId: string
      readonly tokenId: string
      readonly sealed: string
      readonly at: DateTime.Utc
    }) => Effect.Effect<boolean, MetadataError>

    /** Finds the S3 secret of a token of any tenant, also of one that is revoked or has expired. */
    readonly findS3Secret: (tokenId: string) => Effect.Effect<Option.Option<StoredS3Secret>, MetadataError>

    /** Finds when the S3 secret of a token was stored. */
    readonly findS3SecretTime: (
      tenantId: string,
      tokenId: string
    ) => Effect.Effect<Option.Option<DateTime.Utc>, MetadataError>

    /** Removes the S3 secret of a token; false when it has none. */
    readonly removeS3Secret: (token: {
      readonly tenantId: string
      readonly tokenId: string
    }) => Effect.Effect<boolean, MetadataError>
  }
>()("@holdfast/core/tokens/TokenRepository") {}
