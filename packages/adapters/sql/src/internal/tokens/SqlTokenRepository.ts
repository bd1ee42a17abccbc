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
import { millis, unplanned, unplannedText } from "../Dialect.ts"
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

  /** Sets or removes the sealed S3 secret of a token, and writes the event. */
  const changeSecret = Effect.fnUntraced(function* (
    { tenantId, tokenId }: { readonly tenantId: string; readonly tokenId: string },
    secret: { readonly sealed: string; readonly at: number } | null
  ) {
    const condition = secret === null ? sql`s3_secret IS NOT NULL` : sql`revoked_at IS NULL`
    const changed =
      yield* sql`UPDATE api_key SET s3_secret = ${secret?.sealed ?? null}, s3_secret_at = ${secret?.at ?? null}
      WHERE id = ${tokenId} AND tenant_id = ${tenantId} AND ${condition}
      RETURNING name`.pipe(Row.first((row) => Row.text(row, "name")))
    if (Option.isNone(changed)) return false
    const action = secret === null ? "token.s3_credentials_revoked" : "token.s3_credentials_created"
    yield* record(sql, { tenantId, action, target: { id: tokenId, name: changed.value } })
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
      sql`SELECT ${columns} FROM api_key WHERE tenant_id = ${unplannedText(sql, tenantId)} AND id > ${after ?? ""}
        ORDER BY id LIMIT ${unplanned(sql, limit)}`.pipe(Row.all(toToken), operation("tokens.list")),

    revoke: ({ at, tenantId, tokenId }) =>
      revoke(tenantId, tokenId, millis(at)).pipe(transaction(sql), operation("tokens.revoke")),

    putS3Secret: ({ at, sealed, ...token }) =>
      changeSecret(token, { sealed, at: millis(at) }).pipe(transaction(sql), operation("tokens.putS3Secret")),

    findS3Secret: (tokenId) =>
      sql`SELECT tenant_id, hash, s3_secret FROM api_key
        WHERE id = ${tokenId} AND tenant_id IS NOT NULL AND s3_secret IS NOT NULL`.pipe(
        Row.first((row) => ({
          tenantId: Row.text(row, "tenant_id"),
          hash: LimitColumns.plainHash(Row.text(row, "hash")),
          sealed: Row.text(row, "s3_secret")
        })),
        operation("tokens.findS3Secret")
      ),

    findS3SecretTime: (tenantId, tokenId) =>
      sql`SELECT s3_secret_at FROM api_key
        WHERE id = ${tokenId} AND tenant_id = ${tenantId} AND s3_secret IS NOT NULL`.pipe(
        Row.first((row) => Row.instant(row, "s3_secret_at")),
        operation("tokens.findS3SecretTime")
      ),

    removeS3Secret: (token) => changeSecret(token, null).pipe(transaction(sql), operation("tokens.removeS3Secret"))
  })
})

export const layer: Layer.Layer<TokenRepository, never, SqlClient> = Layer.effect(TokenRepository, make)
