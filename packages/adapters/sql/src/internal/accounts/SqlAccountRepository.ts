/**
 * The AccountRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { millis } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { operation, RowFault } from "../../SqlFailure.ts"
import { byEmail, findOrCreate, toAccountKey } from "./AccountRows.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const email = "(SELECT account.email FROM account WHERE account.id = api_key.account_id) AS email"
  const columns = sql.literal(`id, name, account_id, prefix, created_at, last_used_at, revoked_at, ${email}`)

  return AccountRepository.of({
    findOrCreate: (fresh) => findOrCreate(sql, fresh).pipe(operation("accounts.findOrCreate")),

    findByEmail: (address) => byEmail(sql, address).pipe(operation("accounts.findByEmail")),

    putKey: (accountId, key) =>
      sql`INSERT INTO api_key (id, hash, prefix, name, account_id, created_at)
        VALUES (${key.id}, ${key.hash}, ${key.prefix}, ${key.name}, ${accountId}, ${millis(key.createdAt)})
        ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL WHERE api_key.member_id IS NULL
        RETURNING ${columns}`.pipe(
        Row.first(toAccountKey),
        // The statement returns no row only when a token has this hash. A token never becomes an account's key.
        Effect.flatMap(
          Option.match({ onNone: () => Effect.fail(new RowFault({ column: "member_id" })), onSome: Effect.succeed })
        ),
        operation("accounts.putKey")
      ),

    listKeys: ({ after, limit }) =>
      sql`SELECT ${columns} FROM api_key WHERE member_id IS NULL AND id > ${after ?? ""}
        ORDER BY id LIMIT ${limit}`.pipe(Row.all(toAccountKey), operation("accounts.listKeys")),

    revokeKey: (keyId, at) =>
      sql`UPDATE api_key SET revoked_at = COALESCE(revoked_at, ${millis(at)})
        WHERE id = ${keyId} AND member_id IS NULL RETURNING ${columns}`.pipe(
        Row.first(toAccountKey),
        operation("accounts.revokeKey")
      )
  })
})

export const layer: Layer.Layer<AccountRepository, never, SqlClient> = Layer.effect(AccountRepository, make)
