/**
 * API tokens of members: `holdfast.tokens` and `client.tokens`.
 */
import * as Effect from "effect/Effect"
import type { AllowedOrigins } from "../../access/Origin.ts"
import type * as Page from "../../Page.ts"
import type { Permission } from "../../Permission.ts"
import type * as S3Credential from "../../tokens/S3Credential.ts"
import { S3Credentials } from "../../tokens/S3Credentials.ts"
import type * as Token from "../../tokens/Token.ts"
import { Tokens } from "../../tokens/Tokens.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import type { Methods } from "../Operations.ts"
import { decodeExpiry, type TimeInput, type WithTimes } from "../internal/Times.ts"
import type { TenantRef } from "./internal/Shared.ts"

/** An API token of a tenant. */
export interface TokenRef extends TenantRef {
  /** The `id` of the token. */
  readonly tokenId: string
}

/** The part of a member's permissions that a token has. At least one field is present. */
export interface TokenScope {
  /** The only buckets in which the token works, at most 100. Absent: all. */
  readonly bucketIds?: ReadonlyArray<string> | undefined
  /** The folder whose files, with those of the folders below it, are the only ones for which the token works. Absent: all files. */
  readonly pathPrefix?: string | undefined
  /** The only permissions of the token. One that the role of the member lacks has no effect. Absent: all of the role. */
  readonly permissions?: ReadonlyArray<Permission> | undefined
}

export interface TokenRecord<Time = Date> extends Omit<WithTimes<Token.Token, Time>, "scope"> {
  /** Null: the token has all permissions of its member. */
  readonly scope: TokenScope | null
}
export interface CreatedTokenRecord<Time = Date> extends Omit<WithTimes<Token.CreatedToken, Time>, "scope"> {
  /** Null: the token has all permissions of its member. */
  readonly scope: TokenScope | null
}
export interface S3CredentialsRecord<Time = Date> extends WithTimes<S3Credential.S3Credentials, Time> {}
export interface CreatedS3CredentialsRecord<Time = Date> extends WithTimes<S3Credential.CreatedS3Credentials, Time> {}
export interface ListTokensInput extends TenantRef, Page.Request {}

export interface CreateTokenInput extends TenantRef {
  /** For people; at most 255 bytes. */
  readonly name: string
  /** The member whose permissions the token has, by its `id`. */
  readonly member: { readonly id: string }
  /**
   * In the future, at most `tokenLifetime` from now, and no later than the token that creates this one. Default: the latest
   * permitted time. Null is accepted only where the deployment allows tokens that never expire.
   */
  readonly expiresAt?: TimeInput | null | undefined
  /**
   * The part of the member's permissions that the token has, within the scope of the token that creates this one. Default: all of
   * them. Each field that is absent is that of the creating token.
   */
  readonly scope?: TokenScope | undefined
  /**
   * The origins of the web pages from which the key may be used, such as `https://app.example.com`. Default: those of the token that
   * creates this one.
   */
  readonly allowedOrigins?: AllowedOrigins | undefined
}

export interface TokenOperations<Time> {
  /** Creates an API token for a member. No later call returns its `key`. */
  create(input: CreateTokenInput): CreatedTokenRecord<Time>

  /** Lists the tokens of a tenant, revoked ones included. */
  list(input: ListTokensInput): Page.Page<TokenRecord<Time>>

  /** Returns a token. */
  get(input: TokenRef): TokenRecord<Time>

  /** Revokes a token, from its next use on. This cannot be undone. */
  revoke(input: TokenRef): void

  /** Creates the S3 credentials of a token, in place of former ones. No later call returns the `secretAccessKey`. */
  createS3Credentials(input: TokenRef): CreatedS3CredentialsRecord<Time>

  /** Returns the S3 credentials of a token, without the secret key. */
  getS3Credentials(input: TokenRef): S3CredentialsRecord<Time>

  /** Revokes the S3 credentials of a token. Its API key stays valid. */
  revokeS3Credentials(input: TokenRef): void
}

export interface TokensApi extends Methods<TokenOperations<Date>, [actor: ActorHandle]> {}

const token = { ...Fields.tenant, tokenId: "id" } as const

export const make = (invoke: Invoke): TokensApi =>
  bind<TokenOperations<Date>>(
    invoke,
    {
      create: (actor, input) =>
        Effect.flatMap(decodeExpiry(input.expiresAt), (expiresAt) =>
          Tokens.use((service) => service.create(actor, input.tenantId, { ...input, expiresAt }))
        ),
      list: (actor, input) => Tokens.use((service) => service.list(actor, input.tenantId, input)),
      get: (actor, { tenantId, tokenId }) => Tokens.use((service) => service.get(actor, tenantId, tokenId)),
      revoke: (actor, { tenantId, tokenId }) => Tokens.use((service) => service.revoke(actor, tenantId, tokenId)),
      createS3Credentials: (actor, { tenantId, tokenId }) =>
        S3Credentials.use((service) => service.create(actor, tenantId, tokenId)),
      getS3Credentials: (actor, { tenantId, tokenId }) =>
        S3Credentials.use((service) => service.get(actor, tenantId, tokenId)),
      revokeS3Credentials: (actor, { tenantId, tokenId }) =>
        S3Credentials.use((service) => service.revoke(actor, tenantId, tokenId))
    },
    {
      create: { ...Fields.tenant, name: true, member: true, expiresAt: true, scope: true, allowedOrigins: true },
      list: { ...Fields.tenant, ...Fields.page },
      get: token,
      revoke: token,
      createS3Credentials: token,
      getS3Credentials: token,
      revokeS3Credentials: token
    },
    { list: true }
  )
