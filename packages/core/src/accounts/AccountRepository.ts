/**
 * The port that stores accounts and their keys. Each method is one atomic step.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { MetadataError } from "../MetadataError.ts"
import type { Slice } from "../Page.ts"
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
    /** Returns the account with the e-mail of `fresh`, compared case-insensitively; stores `fresh` when there is none. */
    readonly findOrCreate: (fresh: Account) => Effect.Effect<Account, MetadataError>

    /** Finds an account by its e-mail, compared case-insensitively. */
    readonly findByEmail: (email: string) => Effect.Effect<Option.Option<Account>, MetadataError>

    /**
     * Stores a key of an account. When a key with this hash exists, returns that key with its revocation cleared and
     * otherwise unchanged, so that an operator can pass the same key at every start.
     */
    readonly putKey: (accountId: string, key: NewAccountKey) => Effect.Effect<AccountKey, MetadataError>

    /** Lists the keys of all accounts, ordered by id. */
    readonly listKeys: (slice: Slice) => Effect.Effect<ReadonlyArray<AccountKey>, MetadataError>

    /** Revokes a key permanently. None when there is no such key. Idempotent: the first revocation time stays. */
    readonly revokeKey: (keyId: string, at: DateTime.Utc) => Effect.Effect<Option.Option<AccountKey>, MetadataError>
  }
>()("@holdfast/core/accounts/AccountRepository") {}
