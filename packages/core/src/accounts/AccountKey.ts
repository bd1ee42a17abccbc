/**
 * An account key acts as its account wherever that account is a member, and may create tenants. It is made on the
 * operator's side only, never by an endpoint.
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
  /** At most a minute behind. */
  readonly lastUsedAt: DateTime.Utc | null
  readonly revokedAt: DateTime.Utc | null
}
