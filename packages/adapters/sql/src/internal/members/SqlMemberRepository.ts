/**
 * The MemberRepository in SQL.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import { LastAdmin, type Member, MemberExists } from "@holdfast/core/members/Member"
import * as Creator from "@holdfast/core/access/Creator"
import { type CreatedDecision, MemberRepository } from "@holdfast/core/members/MemberRepository"
import * as Role from "@holdfast/core/Role"
import * as Accounts from "../accounts/AccountRows.ts"
import { isOpenTenant } from "../buckets/OpenBucket.ts"
import * as Constraint from "../Constraint.ts"
import { lock, millis, unplanned, unplannedText } from "../Dialect.ts"
import { record, recordFound } from "../events/RecordEvent.ts"
import * as Counted from "../quotas/Counted.ts"
import { noteRefusal } from "../quotas/ReachedLimits.ts"
import { requireRoom } from "../quotas/RequireRoom.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { decideCreated } from "./CreatedResources.ts"
import * as Invitations from "./Invitations.ts"
import { memberEvent } from "./MemberEvents.ts"
import { columns as columnList, insert, toMember } from "./MemberRows.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const columns = sql.literal(columnList)

  const find = (tenantId: string, memberId: string) =>
    sql`SELECT ${columns} FROM member WHERE id = ${memberId} AND tenant_id = ${tenantId}`.pipe(Row.first(toMember))

  /** Inserts a member, and the account of an ACTIVE one unless it exists. Returns the member with its account. */
  const store = Effect.fnUntraced(function* (tenantId: string, member: Member) {
    if (member.status === "INVITED") {
      yield* Invitations.invite(sql, tenantId, member)
      return member
    }
    const active = { ...member, user: yield* Accounts.findOrCreate(sql, member.user) }
    yield* insert(sql, tenantId, active)
    return active
  })

  /** Adds a member. The lock on the tenant excludes another member with the same e-mail. */
  const add = (tenantId: string, member: Member) =>
    Effect.gen(function* () {
      const tenants = yield* sql`SELECT id FROM tenant
        WHERE ${isOpenTenant(sql, tenantId)} ${lock(sql, "FOR NO KEY UPDATE")}`
      if (tenants.length === 0) return yield* new NotFound({ resource: "tenant" })
      const existing = yield* Invitations.findByEmail(sql, tenantId, member.user.email)
      if (Option.isSome(existing)) return yield* new MemberExists({ existingId: existing.value })
      yield* requireRoom(sql, tenantId, ({ members }) => [
        { limit: "members", maximum: members, rows: Counted.members(sql, tenantId) }
      ])
      const stored = yield* store(tenantId, member)
      yield* record(sql, memberEvent(tenantId, "member.created", stored))
      return stored
    }).pipe(
      transaction(sql),
      noteRefusal(sql, tenantId),
      Constraint.mapUniqueViolation({
        index: Constraint.memberAccount,
        findExisting: sql`SELECT id FROM member WHERE tenant_id = ${tenantId} AND account_id =
          (SELECT id FROM account WHERE email_key = ${Accounts.emailKey(member.user.email)})`,
        toError: (existingId) => new MemberExists({ existingId })
      })
    )

  /**
   * Runs a change of a member, in one transaction or, when the member created much, after several that end or transfer a part of
   * it. Fails with `LastAdmin` when the member is the tenant's only ACTIVE Admin and is none after the change. The lock on the tenant
   * excludes concurrent changes of its members until the commit, so that the number of Admins cannot change in between.
   */
  const changeMember = <A, E, R>(request: {
    readonly tenantId: string
    readonly memberId: string
    /** The role after the change; null for none. */
    readonly role: Role.RoleId | null
    readonly created: CreatedDecision
    readonly at: DateTime.Utc
    readonly change: (member: Member) => Effect.Effect<A, E, R>
  }) => {
    const { change, memberId, role, tenantId } = request
    const step = Effect.gen(function* () {
      yield* sql`SELECT id FROM tenant WHERE id = ${tenantId} ${lock(sql, "FOR NO KEY UPDATE")}`
      const member = yield* find(tenantId, memberId)
      if (Option.isNone(member)) return { isDone: true, result: Option.none<A>() }
      const { role: former, status } = member.value
      if (former.id === Role.admin && status === "ACTIVE" && role !== Role.admin) {
        const others =
          yield* sql`SELECT id FROM member WHERE tenant_id = ${unplannedText(sql, tenantId)} AND role = ${Role.admin}
          AND invited_email_key IS NULL AND id <> ${memberId} LIMIT 1`
        if (others.length === 0) return yield* new LastAdmin()
      }
      if (role === null || !Creator.mayCreate(role)) {
        const losesShares = role === null || !Role.permits(role, "share:write")
        if (!(yield* decideCreated(sql, { ...request, losesShares })))
          return { isDone: false, result: Option.none<A>() }
      }
      return { isDone: true, result: Option.some(yield* change(member.value)) }
    }).pipe(transaction(sql))
    return Effect.map(Effect.repeat(step, { until: ({ isDone }) => isDone }), ({ result }) => result)
  }

  return MemberRepository.of({
    add: (tenantId, member) => add(tenantId, member).pipe(operation("members.add")),

    listInvitations: (query) => Invitations.list(sql, query).pipe(operation("members.listInvitations")),

    accept: (acceptance) =>
      Invitations.accept(sql, acceptance).pipe(
        recordFound(sql, (member) => memberEvent(acceptance.tenantId, "member.accepted", member)),
        transaction(sql),
        operation("members.accept")
      ),

    findOwn: ({ account, tenantId }) =>
      Invitations.findByEmail(sql, tenantId, account.email).pipe(operation("members.findOwn")),

    find: (tenantId, memberId) => find(tenantId, memberId).pipe(operation("members.find")),

    list: ({ after, limit, tenantId }) =>
      sql`SELECT ${columns} FROM member WHERE tenant_id = ${unplannedText(sql, tenantId)} AND id > ${after ?? ""}
        ORDER BY id LIMIT ${unplanned(sql, limit)}`.pipe(Row.all(toMember), operation("members.list")),

    changeRole: ({ at, created, memberId, role, tenantId }) =>
      changeMember({
        tenantId,
        memberId,
        role,
        created,
        at,
        change: (member) =>
          Effect.gen(function* () {
            const changed = { ...member, role: { id: role, name: Role.nameOf(role) }, updatedAt: at }
            yield* sql`UPDATE member SET role = ${role}, updated_at = ${millis(at)}
              WHERE id = ${memberId} AND tenant_id = ${tenantId}`
            yield* record(sql, memberEvent(tenantId, "member.updated", changed))
            return changed
          })
      }).pipe(operation("members.changeRole")),

    remove: ({ at, created, memberId, tenantId }) =>
      changeMember({
        tenantId,
        memberId,
        role: null,
        created,
        at,
        change: (member) =>
          Effect.gen(function* () {
            yield* sql`DELETE FROM member WHERE id = ${memberId} AND tenant_id = ${tenantId}`
            if (member.status === "INVITED") yield* Invitations.removeAccounts(sql, [member.user.id])
            yield* record(sql, memberEvent(tenantId, "member.deleted", member))
          })
      }).pipe(Effect.map(Option.isSome), operation("members.remove"))
  })
})

export const layer: Layer.Layer<MemberRepository, never, SqlClient> = Layer.effect(MemberRepository, make)
