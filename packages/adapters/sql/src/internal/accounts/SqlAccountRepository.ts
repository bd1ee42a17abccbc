/**
 * The AccountRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import type { AccountKey } from "@holdfast/core/accounts/AccountKey"
import { AccountRepository, type NewAccountKey } from "@holdfast/core/accounts/AccountRepository"
import { lock, millis } from "../Dialect.ts"
import type { Action } from "@holdfast/core/events/Event"
import * as Row from "../Row.ts"
import { record } from "../events/RecordEvent.ts"
import { transaction } from "../../Transaction.ts"
import { operation, RowFault } from "../../SqlFailure.ts"
import { byEmail, findOrCreate, toAccountKey } from "./AccountRows.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const email = "(SELECT account.email FROM account WHERE account.id = api_key.account_id) AS email"
  const columns = sql.literal(`id, name, account_id, prefix, created_at, last_used_at, revoked_at, ${email}`)

  const recordKey = (action: Action, { account, id, name }: AccountKey) =>
    record(sql, { tenantId: null, action, target: { id, name }, detail: { accountId: account.id } })

  const putKey = Effect.fnUntraced(function* (accountId: string, key: NewAccountKey) {
    const [former] = yield* sql`SELECT revoked_at FROM api_key WHERE hash = ${key.hash} ${lock(sql, "FOR UPDATE")}`
    const stored = yield* sql`INSERT INTO api_key (id, hash, prefix, name, account_id, created_at)
      VALUES (${key.id}, ${key.hash}, ${key.prefix}, ${key.name}, ${accountId}, ${millis(key.createdAt)})
      ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL WHERE api_key.member_id IS NULL
      RETURNING ${columns}`.pipe(Row.first(toAccountKey))
    // The statement returns no row only when a token has this hash. A token never becomes an account's key.
    if (Option.isNone(stored)) return yield* new RowFault({ column: "member_id" })
    if (stored.value.id === key.id) yield* recordKey("account_key.created", stored.value)
    else if (former !== undefined && former.revoked_at !== null) yield* recordKey("account_key.restored", stored.value)
    return stored.value
  })

  const revokeKey = Effect.fnUntraced(function* (keyId: string, at: number) {
    const isKey = sql`id = ${keyId} AND member_id IS NULL`
    const revoked = yield* sql`UPDATE api_key SET revoked_at = ${at} WHERE ${isKey} AND revoked_at IS NULL
      RETURNING ${columns}`.pipe(Row.first(toAccountKey))
    if (Option.isNone(revoked))
      return yield* sql`SELECT ${columns} FROM api_key WHERE ${isKey}`.pipe(Row.first(toAccountKey))
    yield* recordKey("account_key.revoked", revoked.value)
    return revoked
  })

  return AccountRepository.of({
    findOrCreate: (fresh) =>
      Effect.flatMap(
        byEmail(sql, fresh.email),
        // Mostly the account exists, and a transaction on SQLite blocks all writers.
        Option.match({ onNone: () => transaction(sql)(findOrCreate(sql, fresh)), onSome: Effect.succeed })
      ).pipe(operation("accounts.findOrCreate")),

    findByEmail: (address) => byEmail(sql, address).pipe(operation("accounts.findByEmail")),

    putKey: (accountId, key) => putKey(accountId, key).pipe(transaction(sql), operation("accounts.putKey")),

    listKeys: ({ after, limit }) =>
      sql`SELECT ${columns} FROM api_key WHERE member_id IS NULL AND id > ${after ?? ""}
        ORDER BY id LIMIT ${limit}`.pipe(Row.all(toAccountKey), operation("accounts.listKeys")),

    revokeKey: (keyId, at) => revokeKey(keyId, millis(at)).pipe(transaction(sql), operation("accounts.revokeKey"))
  })
})

export const layer: Layer.Layer<AccountRepository, never, SqlClient> = Layer.effect(AccountRepository, make)
