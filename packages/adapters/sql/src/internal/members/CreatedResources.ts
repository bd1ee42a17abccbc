/**
 * Ends or transfers what a member created: tokens, mirrors and shares, before the member goes or loses the permission.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { type CreatedResources, CreatedResourcesRemain } from "@holdfast/core/members/CreatedResources"
import * as Creator from "@holdfast/core/access/Creator"
import type { CreatedDecision } from "@holdfast/core/members/MemberRepository"
import { type Action, severalTargets } from "@holdfast/core/events/Event"
import { RoleId } from "@holdfast/core/Role"
import { among, lock, millis } from "../Dialect.ts"
import { record } from "../events/RecordEvent.ts"
import * as Row from "../Row.ts"
import { isUsable } from "./Creators.ts"

/** Rows per transaction. */
const batchSize = 1000

/** Items in an error. */
const itemLimit = 20

interface Request {
  readonly tenantId: string
  readonly memberId: string
  readonly created: CreatedDecision
  readonly at: DateTime.Utc
  /** Whether the member may create no shares any more, so that those that it created end or get another creator. */
  readonly losesShares: boolean
}

interface Named {
  readonly id: string
  readonly name: string
}

const toNamed: Row.FromRow<Named> = (row) => ({ id: Row.text(row, "id"), name: Row.text(row, "name") })

const summarize = (
  tokens: ReadonlyArray<Named>,
  mirrors: ReadonlyArray<Named>,
  shares: ReadonlyArray<Named>,
  isComplete: boolean
): CreatedResources => ({
  tokens: tokens.length,
  mirrors: mirrors.length,
  shares: shares.length,
  items: [
    ...tokens.map(({ id, name }) => ({ kind: "TOKEN" as const, id, name })),
    ...mirrors.map(({ id, name }) => ({ kind: "MIRROR" as const, id, name })),
    ...shares.map(({ id, name }) => ({ kind: "SHARE" as const, id, name }))
  ].slice(0, itemLimit),
  isComplete
})

/** Writes one event for a change of several tokens or mirrors; none when there is no such row. */
const recordSeveral = (
  sql: SqlClient,
  tenantId: string,
  action: Action,
  changed: ReadonlyArray<Named>,
  to?: string | null
) => {
  const { detail, target } = severalTargets(changed)
  return changed.length === 0
    ? Effect.void
    : record(sql, { tenantId, action, target, detail: to === undefined ? detail : { ...detail, createdBy: to } })
}

/** Fails unless the member that becomes the creator may create tokens and mirrors. The tenant is locked. */
const requireRecipient = Effect.fnUntraced(function* (sql: SqlClient, tenantId: string, memberId: string) {
  const [role] = yield* sql`SELECT role FROM member WHERE id = ${memberId} AND tenant_id = ${tenantId}`.pipe(
    Row.all((row) => Row.oneOf(RoleId.literals, row, "role"))
  )
  if (role === undefined || !Creator.mayCreate(role)) return yield* Creator.notCreator
})

/** Lists at most `batchSize` shares of a member that have not expired; none unless the member loses them. */
const listShares = (sql: SqlClient, { at, losesShares, memberId, tenantId }: Request) =>
  losesShares
    ? sql`SELECT id, name FROM share WHERE tenant_id = ${tenantId} AND created_by = ${memberId}
        AND (expires_at IS NULL OR expires_at > ${millis(at)}) ORDER BY id LIMIT ${batchSize}`.pipe(Row.all(toNamed))
    : Effect.succeed<ReadonlyArray<Named>>([])

/** Decides on one batch of the shares that a member created. Returns how many there were. */
const decideShares = Effect.fnUntraced(function* (sql: SqlClient, request: Request) {
  const { at, created, tenantId } = request
  const shares = yield* listShares(sql, request)
  if (shares.length === 0) return 0
  const ids = shares.map(({ id }) => id)
  if (created._tag === "Refuse") {
    return yield* new CreatedResourcesRemain({ created: summarize([], [], shares, shares.length < batchSize) })
  }
  if (created._tag === "Transfer" && created.to !== null) {
    yield* sql`UPDATE share SET created_by = ${created.to}, created_with = NULL, updated_at = ${millis(at)}
      WHERE ${among(sql, "id", ids)}`
    yield* recordSeveral(sql, tenantId, "share.updated", shares, created.to)
  } else {
    // A share is worth what its creator may do: the deployment itself cannot be one.
    yield* sql`DELETE FROM share WHERE ${among(sql, "id", ids)}`
    yield* recordSeveral(sql, tenantId, "share.deleted", shares)
  }
  return shares.length
})

/**
 * Decides on one batch of what a member created, in a transaction that has locked the tenant and the member. Returns how many
 * rows it had. A transaction that creates something with one of the tokens has locked that token. So once the tokens of a batch
 * are locked, the next batch finds what was created with them meanwhile.
 */
const decideBatch = Effect.fnUntraced(function* (sql: SqlClient, request: Request) {
  const { at, created, memberId, tenantId } = request
  const isOwn = sql`tenant_id = ${tenantId} AND member_id = ${memberId}`
  const ids = yield* sql`SELECT resource_id FROM creation WHERE ${isOwn} ORDER BY resource_id LIMIT ${batchSize}`.pipe(
    Row.all((row) => Row.text(row, "resource_id"))
  )
  if (ids.length === 0) return 0
  const tokens = yield* sql`SELECT id, name FROM api_key
    WHERE ${among(sql, "id", ids)} AND tenant_id = ${tenantId} AND ${isUsable(sql, at)}
    ORDER BY id ${lock(sql, "FOR UPDATE")}`.pipe(Row.all(toNamed))
  const mirrors = yield* sql`SELECT id, name FROM mirror
    WHERE ${among(sql, "id", ids)} AND tenant_id = ${tenantId} AND removed = 0 ORDER BY id`.pipe(Row.all(toNamed))
  const tokenIds = tokens.map(({ id }) => id)
  const mirrorIds = mirrors.map(({ id }) => id)

  if (created._tag === "Refuse" && tokens.length + mirrors.length > 0) {
    return yield* new CreatedResourcesRemain({
      created: summarize(tokens, mirrors, yield* listShares(sql, request), ids.length < batchSize)
    })
  }
  if (created._tag === "End") {
    yield* sql`UPDATE api_key SET revoked_at = ${millis(at)} WHERE ${among(sql, "id", tokenIds)}`
    yield* sql`UPDATE mirror SET removed = 1 WHERE ${among(sql, "id", mirrorIds)}`
    yield* recordSeveral(sql, tenantId, "token.revoked", tokens)
    yield* recordSeveral(sql, tenantId, "mirror.deleted", mirrors)
  }
  if (created._tag === "Transfer") {
    const { to } = created
    const creator = to === null ? sql.literal("NULL") : sql`${to}`
    for (const [table, changed] of [
      ["api_key", tokenIds],
      ["mirror", mirrorIds]
    ] as const) {
      yield* sql`UPDATE ${sql.literal(table)} SET created_by = ${creator}, created_with = NULL
        WHERE ${among(sql, "id", changed)} AND created_by = ${memberId}`
    }
    yield* recordSeveral(sql, tenantId, "token.updated", tokens, to)
    yield* recordSeveral(sql, tenantId, "mirror.updated", mirrors, to)
    if (to !== null) {
      yield* sql`INSERT INTO creation (tenant_id, member_id, resource_id)
        SELECT tenant_id, ${to}, id FROM api_key WHERE ${among(sql, "id", tokenIds)} AND member_id <> ${to}
        UNION ALL SELECT tenant_id, ${to}, id FROM mirror WHERE ${among(sql, "id", mirrorIds)}
        ON CONFLICT (tenant_id, member_id, resource_id) DO NOTHING`
    }
  }
  yield* sql`DELETE FROM creation WHERE ${isOwn} AND ${among(sql, "resource_id", ids)}`
  return ids.length
})

/**
 * Decides on what a member created, at most `batchSize` rows and what is created meanwhile. Returns whether nothing is left. Locks
 * the member first, so that it creates nothing until the transaction ends.
 */
export const decideCreated = Effect.fnUntraced(function* (sql: SqlClient, request: Request) {
  const { created, memberId, tenantId } = request
  yield* sql`SELECT id FROM member WHERE id = ${memberId} AND tenant_id = ${tenantId} ${lock(sql, "FOR UPDATE")}`
  if (created._tag === "Transfer" && created.to !== null) yield* requireRecipient(sql, tenantId, created.to)
  let count: number
  do {
    count = yield* decideBatch(sql, request)
    if (count === batchSize) return false
  } while (count > 0)
  return (yield* decideShares(sql, request)) < batchSize
})
