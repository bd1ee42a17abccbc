/**
 * The port that keeps API tokens. Each method is one atomic step, and sees one tenant alone.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { NotFound } from "../Errors.ts"
import type { MetadataError } from "../MetadataError.ts"
import type { Token } from "./Token.ts"

export class TokenRepository extends Context.Service<
  TokenRepository,
  {
    /** Stores a token under its key's hash; `NotFound` (member) when the tenant has no such member. */
    readonly create: (tenantId: string, token: Token, hash: string) => Effect.Effect<void, NotFound | MetadataError>

    readonly find: (tenantId: string, tokenId: string) => Effect.Effect<Option.Option<Token>, MetadataError>

    /** Tokens ordered by id, revoked and expired ones included. */
    readonly list: (
      tenantId: string,
      after: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Token>, MetadataError>

    /** Revokes a token, for good; false when there is none. Idempotent: the first time of revocation stays. */
    readonly revoke: (tenantId: string, tokenId: string, at: DateTime.Utc) => Effect.Effect<boolean, MetadataError>
  }
>()("@holdfast/core/tokens/TokenRepository") {}
