/**
 * Rows of accounts and of their keys.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Account } from "@holdfast/core/accounts/Account"
import type { AccountKey } from "@holdfast/core/accounts/AccountKey"
import * as Row from "../Row.ts"

/** What e-mails are compared by. Folded here and not by the database, whose folding depends on its locale. */
export const emailKey = (email: string): string => email.toLowerCase()

export const toAccount: Row.FromRow<Account> = (row) => ({ id: Row.text(row, "id"), email: Row.text(row, "email") })

export const toAccountKey: Row.FromRow<AccountKey> = (row) => ({
  id: Row.text(row, "id"),
  name: Row.text(row, "name"),
  account: { id: Row.text(row, "account_id"), email: Row.text(row, "email") },
  prefix: Row.text(row, "prefix"),
  createdAt: Row.instant(row, "created_at"),
  lastUsedAt: Row.orNull(Row.instant, row, "last_used_at"),
  revokedAt: Row.orNull(Row.instant, row, "revoked_at")
})

/** The account of an e-mail. */
export const byEmail = (sql: SqlClient, email: string) =>
  Row.first(toAccount)(sql`SELECT id, email FROM account WHERE email_key = ${emailKey(email)}`)

/** The account of an e-mail, stored when there is none. Accounts are never removed, so that one that stood stands. */
export const findOrCreate = Effect.fnUntraced(function* (sql: SqlClient, fresh: Account) {
  const known = yield* byEmail(sql, fresh.email)
  if (Option.isSome(known)) return known.value
  const stored = yield* sql`INSERT INTO account (id, email, email_key)
    VALUES (${fresh.id}, ${fresh.email}, ${emailKey(fresh.email)})
    ON CONFLICT (email_key) DO NOTHING RETURNING id`
  if (stored.length > 0) return fresh
  // Another one stored it between the two statements.
  return Option.getOrElse(yield* byEmail(sql, fresh.email), () => fresh)
})
