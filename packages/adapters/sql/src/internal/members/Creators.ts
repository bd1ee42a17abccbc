/**
 * Records the creators of tokens and mirrors.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { InvalidRequest, Unauthenticated } from "@holdfast/core/Errors"
import type { CreatedBy } from "@holdfast/core/access/Creator"
import * as Creator from "@holdfast/core/access/Creator"
import { RoleId } from "@holdfast/core/Role"
import { among, lock, millis } from "../Dialect.ts"
import * as Row from "../Row.ts"

/** The most members who answer for one resource. Each token that is created with another member's token adds one. */
const maxCreators = 16

/** Returns the values of the columns `created_by` and `created_with`. */
export const toColumns = (createdBy: CreatedBy) => ({
  created_by: createdBy?.member.id ?? null,
  created_with: createdBy?.token?.id ?? null
})

/** Reads the columns `created_by` and `created_with`. */
export const read = (row: Row.Row): CreatedBy => {
  const memberId = Row.orNull(Row.text, row, "created_by")
  const tokenId = Row.orNull(Row.text, row, "created_with")
  return memberId === null ? null : { member: { id: memberId }, token: tokenId === null ? null : { id: tokenId } }
}

/** Condition on a row of `api_key`: the token is neither revoked nor expired. */
export const isUsable = (sql: SqlClient, at: DateTime.Utc): Fragment =>
  sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${millis(at)})`

/**
 * Locks members, in order of their ids, and returns their accounts by id. With a creator, fails with `Forbidden` unless it is
 * a member that may create tokens and mirrors, and with `Unauthenticated` unless the token that it presented is valid.
 *
 * Removals and changes of role lock the members too, and revocations the token. Therefore whatever ends or transfers the
 * creator's tokens and mirrors either finds the new one, or comes first and makes this transaction fail.
 */
export const lockCreator = Effect.fnUntraced(function* (
  sql: SqlClient,
  input: {
    readonly tenantId: string
    readonly createdBy: CreatedBy
    readonly others: ReadonlyArray<string>
    readonly at: DateTime.Utc
  }
) {
  const { at, createdBy, others, tenantId } = input
  // The rows that `recordCreation` inserts refer to the tenant. A removal of the tenant locks it before its members, too.
  if (createdBy !== null) yield* sql`SELECT id FROM tenant WHERE id = ${tenantId} ${lock(sql, "FOR KEY SHARE")}`
  const ids = createdBy === null ? others : [...others, createdBy.member.id]
  const locked = yield* sql`SELECT id, account_id, role FROM member
    WHERE ${among(sql, "id", ids)} AND tenant_id = ${tenantId} ORDER BY id ${lock(sql, "FOR SHARE")}`.pipe(
    Row.all((row) => ({
      id: Row.text(row, "id"),
      accountId: Row.text(row, "account_id"),
      role: Row.oneOf(RoleId.literals, row, "role")
    }))
  )
  if (createdBy !== null) {
    const creator = locked.find(({ id }) => id === createdBy.member.id)
    if (creator === undefined || !Creator.mayCreate(creator.role)) return yield* Creator.notCreator
    if (createdBy.token !== null) {
      const valid = yield* sql`SELECT id FROM api_key
        WHERE id = ${createdBy.token.id} AND tenant_id = ${tenantId} AND ${isUsable(sql, at)} ${lock(sql, "FOR SHARE")}`
      if (valid.length === 0) return yield* new Unauthenticated()
    }
  }
  return new Map(locked.map(({ accountId, id }) => [id, accountId]))
})

/**
 * Records the members who answer for a new resource, in the transaction that called `lockCreator`. `ownerId` is the member of a
 * new token: with that member the token is removed anyway.
 */
export const recordCreation = Effect.fnUntraced(function* (
  sql: SqlClient,
  input: {
    readonly tenantId: string
    readonly resourceId: string
    readonly createdBy: CreatedBy
    readonly ownerId?: string
  }
) {
  const { createdBy, ownerId, resourceId, tenantId } = input
  if (createdBy === null) return
  const earlier =
    createdBy.token === null
      ? []
      : yield* sql`SELECT member_id FROM creation
          WHERE resource_id = ${createdBy.token.id} ORDER BY member_id LIMIT ${maxCreators}`.pipe(
          Row.all((row) => Row.text(row, "member_id"))
        )
  if (earlier.length === maxCreators) {
    const detail = `was created through tokens of ${maxCreators} members; present another key`
    return yield* InvalidRequest.at("/apiKey", detail)
  }
  const creators = new Set([createdBy.member.id, ...earlier])
  for (const memberId of creators) {
    if (memberId === ownerId) continue
    yield* sql`INSERT INTO creation (tenant_id, member_id, resource_id) VALUES (${tenantId}, ${memberId}, ${resourceId})`
  }
})
