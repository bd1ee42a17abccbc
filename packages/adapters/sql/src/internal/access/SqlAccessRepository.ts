/**
 * The AccessRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import {
  AccessRepository,
  type KeyUse,
  type Principal,
  type SharePrincipal
} from "@holdfast/core/access/AccessRepository"
import * as ShareRules from "@holdfast/core/buckets/ShareRules"
import { permissionsOf } from "@holdfast/core/files/shares/Share"
import { RoleId } from "@holdfast/core/Role"
import * as ShareRuleColumn from "../buckets/ShareRuleColumn.ts"
import { readActions } from "../shares/ShareRow.ts"
import { isOpenBucket, openTenant } from "../buckets/OpenBucket.ts"
import { millis } from "../Dialect.ts"
import * as Reads from "../../Reads.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import * as LimitColumns from "./LimitColumns.ts"

const account = (row: Row.Row): Principal["account"] => ({
  id: Row.text(row, "account_id"),
  email: Row.text(row, "email")
})

const member = (row: Row.Row): Principal["member"] =>
  row.member_id === null ? null : { id: Row.text(row, "member_id"), role: Row.oneOf(RoleId.literals, row, "role") }

const fromKeyRow: Row.FromRow<Principal> = (row) => ({
  account: account(row),
  credential: {
    id: Row.text(row, "id"),
    tenantId: Row.orNull(Row.text, row, "tenant_id"),
    expiresAt: Row.orNull(Row.instant, row, "expires_at"),
    revokedAt: Row.orNull(Row.instant, row, "revoked_at"),
    ...LimitColumns.read(row)
  },
  member: member(row)
})

const fromAccountRow: Row.FromRow<Principal> = (row) => ({
  account: account(row),
  credential: null,
  member: member(row)
})

/** None for a share that its bucket does not permit, and for one whose token no longer exists. */
const fromShareRow: Row.FromRow<Option.Option<SharePrincipal>> = (row) => {
  const rules = ShareRuleColumn.read(row)
  const isWithoutToken = row.created_with === null
  if (!isWithoutToken && row.token_id === null) return Option.none()
  if (!ShareRules.permits(rules, { hasPassword: row.password !== null })) return Option.none()
  const dates = { createdAt: Row.instant(row, "created_at"), expiresAt: Row.orNull(Row.instant, row, "expires_at") }
  return Option.some({
    creator: {
      account: account(row),
      credential: isWithoutToken
        ? null
        : {
            id: Row.text(row, "token_id"),
            tenantId: null,
            expiresAt: Row.orNull(Row.instant, row, "token_expires_at"),
            revokedAt: Row.orNull(Row.instant, row, "revoked_at"),
            ...LimitColumns.read(row)
          },
      member: member(row)
    },
    shareId: Row.text(row, "id"),
    bucketId: Row.text(row, "bucket_id"),
    path: Row.orNull(Row.text, row, "path") ?? "/",
    permissions: permissionsOf(readActions(row)),
    passwordVersion: Row.int(row, "password_version"),
    expiresAt: ShareRules.endOf(rules, dates)
  })
}

/** Returns the latest use of each key, as JSON that both dialects can read. */
const latestUses = (uses: ReadonlyArray<KeyUse>): string => {
  const times = new Map<string, number>()
  for (const { at, credentialId } of uses) {
    times.set(credentialId, Math.max(millis(at), times.get(credentialId) ?? Number.NEGATIVE_INFINITY))
  }
  return JSON.stringify(Array.from(times, ([id, at]) => ({ id, at })))
}

/** The parameter for an absent `tenantId`: no tenant has this id, so one statement serves both cases. */
const noTenant = ""

/** Selects keys that are no tokens of removed tenants, with the membership that applies in a tenant. */
const ofKeys = (sql: SqlClient, tenantId: string) =>
  sql`SELECT k.id, k.tenant_id, k.expires_at, k.revoked_at, k.scope, k.allowed_origins, k.account_id, a.email,
      m.id AS member_id, m.role
    FROM api_key k
    JOIN account a ON a.id = k.account_id
    LEFT JOIN member m ON m.tenant_id = ${openTenant(sql, tenantId)} AND m.account_id = k.account_id
      AND (k.member_id IS NULL OR k.member_id = m.id)
    WHERE (k.tenant_id IS NULL OR EXISTS (SELECT 1 FROM tenant WHERE id = k.tenant_id AND removed = 0))`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const read = yield* Reads.make(sql)

  /** On PostgreSQL, locks the keys in order of id first, so that two nodes that update the same keys never deadlock. */
  const updateLastUse = (uses: string) =>
    sql.onDialectOrElse({
      pg: () => sql`WITH used AS (
          SELECT id, at FROM jsonb_to_recordset(CAST(${uses} AS jsonb)) AS u (id text, at bigint)),
        locked AS (
          SELECT id FROM api_key WHERE id IN (SELECT id FROM used) ORDER BY id FOR NO KEY UPDATE)
        UPDATE api_key SET last_used_at = used.at FROM used, locked
        WHERE api_key.id = locked.id AND used.id = locked.id
          AND (api_key.last_used_at IS NULL OR api_key.last_used_at < used.at)`,
      orElse: () => sql`UPDATE api_key SET last_used_at = used.at
        FROM (SELECT value ->> 'id' AS id, value ->> 'at' AS at FROM json_each(${uses})) AS used
        WHERE api_key.id = used.id AND (api_key.last_used_at IS NULL OR api_key.last_used_at < used.at)`
    })

  return AccessRepository.of({
    findByKey: ({ hash, tenantId }) =>
      read(
        (sql) => sql`${ofKeys(sql, tenantId ?? noTenant)} AND k.hash IN (${hash}, ${LimitColumns.limitedHash(hash)})`
      ).pipe(Row.first(fromKeyRow), operation("access.findByKey")),

    findByCredential: ({ credentialId, tenantId }) =>
      read((sql) => sql`${ofKeys(sql, tenantId)} AND k.id = ${credentialId}`).pipe(
        Row.first(fromKeyRow),
        operation("access.findByCredential")
      ),

    findByAccount: ({ accountId, tenantId }) =>
      read(
        (sql) => sql`SELECT a.id AS account_id, a.email, m.id AS member_id, m.role FROM account a
        LEFT JOIN member m ON m.tenant_id = ${openTenant(sql, tenantId ?? noTenant)} AND m.account_id = a.id
        WHERE a.id = ${accountId}`
      ).pipe(Row.first(fromAccountRow), operation("access.findByAccount")),

    findByShare: ({ shareId, tenantId }) =>
      read(
        (
          sql
        ) => sql`SELECT s.id, s.bucket_id, s.path, s.may, s.password, s.password_version, s.expires_at, s.created_at, b.share_rules,
          a.id AS account_id, a.email, m.id AS member_id, m.role,
          s.created_with, k.id AS token_id, k.expires_at AS token_expires_at, k.revoked_at, k.scope, k.allowed_origins
        FROM share s
        JOIN bucket b ON b.id = s.bucket_id AND b.removed = 0
        JOIN member m ON m.id = s.created_by AND m.tenant_id = s.tenant_id
        JOIN account a ON a.id = m.account_id
        LEFT JOIN api_key k ON k.id = s.created_with AND k.tenant_id = s.tenant_id
        WHERE s.id = ${shareId} AND s.tenant_id = ${openTenant(sql, tenantId)}`
      ).pipe(Row.first(fromShareRow), Effect.map(Option.flatten), operation("access.findByShare")),

    isPublic: (bucket) =>
      read((sql) => sql`SELECT id FROM bucket WHERE ${isOpenBucket(sql, bucket)} AND visibility = 'public'`).pipe(
        Effect.map((rows) => rows.length > 0),
        operation("access.isPublic")
      ),

    recordUse: (uses) =>
      uses.length === 0
        ? Effect.void
        : updateLastUse(latestUses(uses)).pipe(Effect.asVoid, operation("access.recordUse"))
  })
})

export const layer: Layer.Layer<AccessRepository, never, SqlClient> = Layer.effect(AccessRepository, make)
