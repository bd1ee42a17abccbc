/**
 * Reads and writes the rows of accounts and of their keys.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Account } from "@holdfast/core/accounts/Account"
import type { AccountKey } from "@holdfast/core/accounts/AccountKey"
import { record } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"

/** Returns the text by which e-mails are compared. Case is folded here because the database's folding depends on its locale. */
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

/** Finds the account of an e-mail. */
export const byEmail = (sql: SqlClient, email: string) =>
  Row.first(toAccount)(sql`SELECT id, email FROM account WHERE email_key = ${emailKey(email)}`)

/** Returns the account with the e-mail of `fresh`; stores `fresh` when there is none. Accounts are never removed. */
export const findOrCreate = Effect.fnUntraced(function* (sql: SqlClient, fresh: Account) {
  const known = yield* byEmail(sql, fresh.email)
  if (Option.isSome(known)) return known.value
  const stored = yield* sql`INSERT INTO account (id, email, email_key)
    VALUES (${fresh.id}, ${fresh.email}, ${emailKey(fresh.email)})
    ON CONFLICT (email_key) DO NOTHING RETURNING id`
  if (stored.length > 0) {
    yield* record(sql, {
      tenantId: null,
      action: "account.created",
      target: { id: fresh.id, name: fresh.email }
    })
    return fresh
  }
  // A concurrent transaction stored the account between the two statements.
  return Option.getOrElse(yield* byEmail(sql, fresh.email), () => fresh)
})
