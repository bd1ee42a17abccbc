/**
 * The TokenRepository in SQL. Tokens and account keys are stored in one table. An account key has no tenant, so no statement
 * here selects one.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import type { Token } from "@holdfast/core/tokens/Token"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import * as LimitColumns from "../access/LimitColumns.ts"
import * as Constraint from "../Constraint.ts"
import { millis } from "../Dialect.ts"
import { record } from "../events/RecordEvent.ts"
import * as Counted from "../quotas/Counted.ts"
import { noteRefusal } from "../quotas/ReachedLimits.ts"
import { requireRoom } from "../quotas/RequireRoom.ts"
import * as Row from "../Row.ts"
import * as Creators from "../members/Creators.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"

const toToken: Row.FromRow<Token> = (row) => ({
  id: Row.text(row, "id"),
  name: Row.text(row, "name"),
  member: { id: Row.text(row, "member_id") },
  prefix: Row.text(row, "prefix"),
  expiresAt: Row.orNull(Row.instant, row, "expires_at"),
  ...LimitColumns.read(row),
  createdBy: Creators.read(row),
  createdAt: Row.instant(row, "created_at"),
  lastUsedAt: Row.orNull(Row.instant, row, "last_used_at"),
  revokedAt: Row.orNull(Row.instant, row, "revoked_at")
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const columns = sql.literal(
    `id, name, member_id, prefix, expires_at, ${LimitColumns.names}, created_by, created_with, created_at, last_used_at, revoked_at`
  )
  const noMember = () => new NotFound({ resource: "member" })

  const instant = (value: Token["expiresAt"]) => (value === null ? null : millis(value))

  /** Inserts a token with the account of its member, which stays locked: neither can change until the commit. */
  const create = Effect.fnUntraced(function* (tenantId: string, token: Token, hash: string) {
    const { createdAt, createdBy, expiresAt, id, lastUsedAt, member, name, prefix, revokedAt } = token
    yield* requireRoom(sql, tenantId, ({ tokens, tokensPerMember }) => [
      { limit: "tokens", maximum: tokens, rows: Counted.tokens(sql, tenantId, createdAt) },
      { limit: "tokensPerMember", maximum: tokensPerMember, rows: Counted.tokensOfMember(sql, member.id, createdAt) }
    ])
    const members = yield* Creators.lockCreator(sql, { tenantId, createdBy, others: [member.id], at: createdAt })
    const accountId = members.get(member.id)
    if (accountId === undefined) return yield* noMember()
    yield* sql`INSERT INTO api_key ${sql.insert({
      id,
      ...LimitColumns.toColumns(hash, token),
      prefix,
      name,
      account_id: accountId,
      tenant_id: tenantId,
      member_id: member.id,
      ...Creators.toColumns(createdBy),
      created_at: millis(createdAt),
      expires_at: instant(expiresAt),
      last_used_at: instant(lastUsedAt),
      revoked_at: instant(revokedAt)
    })}`
    yield* Creators.recordCreation(sql, { tenantId, resourceId: id, createdBy, ownerId: member.id })
    const expiry = expiresAt === null ? null : DateTime.formatIso(expiresAt)
    const detail = { memberId: member.id, expiresAt: expiry, ...LimitColumns.toDetail(token) }
    yield* record(sql, { tenantId, action: "token.created", target: { id, name }, detail })
  })

  const revoke = Effect.fnUntraced(function* (tenantId: string, tokenId: string, at: number) {
    const isToken = sql`id = ${tokenId} AND tenant_id = ${tenantId}`
    const revoked = yield* sql`UPDATE api_key SET revoked_at = ${at} WHERE ${isToken} AND revoked_at IS NULL
      RETURNING name`.pipe(Row.first((row) => Row.text(row, "name")))
    if (Option.isNone(revoked)) return (yield* sql`SELECT id FROM api_key WHERE ${isToken}`).length > 0
    yield* record(sql, { tenantId, action: "token.revoked", target: { id: tokenId, name: revoked.value } })
    return true
  })

  return TokenRepository.of({
    create: ({ hash, tenantId, token }) =>
      create(tenantId, token, hash).pipe(
        transaction(sql),
        noteRefusal(sql, tenantId),
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
      revoke(tenantId, tokenId, millis(at)).pipe(transaction(sql), operation("tokens.revoke"))
  })
})

export const layer: Layer.Layer<TokenRepository, never, SqlClient> = Layer.effect(TokenRepository, make)
