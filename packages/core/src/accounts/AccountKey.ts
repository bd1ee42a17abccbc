/**
 * An account key: it acts as its account in every tenant that the account is a member of, and may create tenants. Only
 * the operator creates account keys (command line or host program); no endpoint does.
 */
import type * as DateTime from "effect/DateTime"
import type { Account } from "./Account.ts"

export interface AccountKey {
  readonly id: string
  readonly name: string
  readonly account: Account
  /** The first characters of the key, for display. */
  readonly prefix: string
  readonly createdAt: DateTime.Utc
  /** Up to a minute old. */
  readonly lastUsedAt: DateTime.Utc | null
  readonly revokedAt: DateTime.Utc | null
}
