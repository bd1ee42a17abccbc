/**
 * The TokenRepository in SQL. Tokens and account keys are stored in one table. An account key has no tenant, so no statement
 * here selects one.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import type { Token } from "@holdfast/core/tokens/Token"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as Constraint from "../Constraint.ts"
import { millis } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"

const toToken: Row.FromRow<Token> = (row) => ({
  id: Row.text(row, "id"),
  name: Row.text(row, "name"),
  member: { id: Row.text(row, "member_id") },
  prefix: Row.text(row, "prefix"),
  expiresAt: Row.orNull(Row.instant, row, "expires_at"),
  createdAt: Row.instant(row, "created_at"),
  lastUsedAt: Row.orNull(Row.instant, row, "last_used_at"),
  revokedAt: Row.orNull(Row.instant, row, "revoked_at")
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const columns = sql.literal("id, name, member_id, prefix, expires_at, created_at, last_used_at, revoked_at")
  const noMember = () => new NotFound({ resource: "member" })

  /**
   * Inserts a token with the account of its member. Without such a member the SELECT has no row and nothing is inserted; a
   * member that is removed concurrently violates the foreign key.
   */
  const insert = (tenantId: string, token: Token, hash: string) =>
    sql`INSERT INTO api_key (id, hash, prefix, name, tenant_id, member_id, created_at, expires_at, last_used_at,
        revoked_at, account_id)
      SELECT ${token.id}, ${hash}, ${token.prefix}, ${token.name}, tenant_id, id,
        ${millis(token.createdAt)}, ${instant(token.expiresAt)}, ${instant(token.lastUsedAt)},
        ${instant(token.revokedAt)}, account_id
      FROM member WHERE id = ${token.member.id} AND tenant_id = ${tenantId} RETURNING id`

  const instant = (value: Token["expiresAt"]) =>
    value === null ? sql.literal("CAST(NULL AS bigint)") : sql`${millis(value)}`

  return TokenRepository.of({
    create: ({ hash, tenantId, token }) =>
      insert(tenantId, token, hash).pipe(
        Effect.flatMap((rows) => (rows.length === 0 ? Effect.fail(noMember()) : Effect.void)),
        Constraint.mapViolation(Constraint.isForeignKeyViolation, noMember),
        operation("tokens.create")
      ),

    find: (tenantId, tokenId) =>
      sql`SELECT ${columns} FROM api_key WHERE id = ${tokenId} AND tenant_id = ${tenantId}`.pipe(
        Row.first(toToken),
        operation("tokens.find")
      ),

    list: ({ after, limit, tenantId }) =>
      sql`SELECT ${columns} FROM api_key WHERE tenant_id = ${tenantId} AND id > ${after ?? ""}
        ORDER BY id LIMIT ${limit}`.pipe(Row.all(toToken), operation("tokens.list")),

    revoke: ({ at, tenantId, tokenId }) =>
      sql`UPDATE api_key SET revoked_at = COALESCE(revoked_at, ${millis(at)})
        WHERE id = ${tokenId} AND tenant_id = ${tenantId} RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        operation("tokens.revoke")
      )
  })
})

export const layer: Layer.Layer<TokenRepository, never, SqlClient> = Layer.effect(TokenRepository, make)
