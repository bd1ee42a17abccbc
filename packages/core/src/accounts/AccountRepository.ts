/**
 * The port that keeps accounts and their keys. Each method is one atomic step.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { MetadataError } from "../MetadataError.ts"
import type { Account } from "./Account.ts"
import type { AccountKey } from "./AccountKey.ts"

export interface NewAccountKey {
  readonly id: string
  readonly name: string
  /** SHA-256 of the key, hexadecimal; unique among all keys. */
  readonly hash: string
  readonly prefix: string
  readonly createdAt: DateTime.Utc
}

export class AccountRepository extends Context.Service<
  AccountRepository,
  {
    /** The account of this e-mail, compared case-insensitively; `fresh` is stored when there is none yet. */
    readonly findOrCreate: (fresh: Account) => Effect.Effect<Account, MetadataError>

    readonly findByEmail: (email: string) => Effect.Effect<Option.Option<Account>, MetadataError>

    /**
     * Stores a key of an account. A key of the same hash that stands already is left as it is, and returned, un-revoked:
     * so that an operator's own key can be given at every start.
     */
    readonly putKey: (accountId: string, key: NewAccountKey) => Effect.Effect<AccountKey, MetadataError>

    /** All keys, ordered by id. */
    readonly listKeys: (
      after: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<AccountKey>, MetadataError>

    /** Revokes a key, at once and for good; none when there is no such key. Idempotent. */
    readonly revokeKey: (keyId: string, at: DateTime.Utc) => Effect.Effect<Option.Option<AccountKey>, MetadataError>
  }
>()("@holdfast/core/accounts/AccountRepository") {}
