/**
 * The MemberRepository in SQL.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { NotFound } from "@holdfast/core/Errors"
import { LastAdmin, type Member, MemberExists } from "@holdfast/core/members/Member"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import * as Role from "@holdfast/core/Role"
import * as Accounts from "../accounts/AccountRows.ts"
import * as Constraint from "../Constraint.ts"
import { lock, millis } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { operation } from "../../SqlFailure.ts"
import { transaction } from "../../Transaction.ts"
import { columns as columnList, insert, toMember } from "./MemberRows.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const columns = sql.literal(columnList)

  const find = (tenantId: string, memberId: string) =>
    sql`SELECT ${columns} FROM member WHERE id = ${memberId} AND tenant_id = ${tenantId}`.pipe(Row.first(toMember))

  const add = (tenantId: string, member: Member) =>
    Effect.gen(function* () {
      const user = yield* Accounts.findOrCreate(sql, member.user)
      const stored = { ...member, user }
      yield* insert(sql, tenantId, stored)
      return stored
    }).pipe(
      transaction(sql),
      Constraint.mapViolation(Constraint.isForeignKeyViolation, () => new NotFound({ resource: "tenant" })),
      Constraint.mapUniqueViolation({
        index: Constraint.memberAccount,
        findExisting: sql`SELECT id FROM member WHERE tenant_id = ${tenantId} AND account_id =
          (SELECT id FROM account WHERE email_key = ${Accounts.emailKey(member.user.email)})`,
        toError: (existingId) => new MemberExists({ existingId })
      })
    )

  /**
   * Runs a change of a member. Fails with `LastAdmin` when the member is the tenant's only Admin and is none after the
   * change. The lock on the tenant excludes concurrent changes of its members until the commit, so that the number of
   * Admins cannot change in between.
   */
  const changeMember = <A, E, R>(request: {
    readonly tenantId: string
    readonly memberId: string
    readonly isAdminAfter: boolean
    readonly change: (member: Member) => Effect.Effect<A, E, R>
  }) =>
    Effect.gen(function* () {
      const { change, isAdminAfter, memberId, tenantId } = request
      yield* sql`SELECT id FROM tenant WHERE id = ${tenantId} ${lock(sql, "FOR NO KEY UPDATE")}`
      const member = yield* find(tenantId, memberId)
      if (Option.isNone(member)) return Option.none()
      if (member.value.role.id === Role.admin && !isAdminAfter) {
        const others = yield* sql`SELECT id FROM member
          WHERE tenant_id = ${tenantId} AND role = ${Role.admin} AND id <> ${memberId} LIMIT 1`
        if (others.length === 0) return yield* new LastAdmin()
      }
      return Option.some(yield* change(member.value))
    }).pipe(transaction(sql))

  return MemberRepository.of({
    add: (tenantId, member) => add(tenantId, member).pipe(operation("members.add")),

    find: (tenantId, memberId) => find(tenantId, memberId).pipe(operation("members.find")),

    list: ({ after, limit, tenantId }) =>
      sql`SELECT ${columns} FROM member WHERE tenant_id = ${tenantId} AND id > ${after ?? ""}
        ORDER BY id LIMIT ${limit}`.pipe(Row.all(toMember), operation("members.list")),

    changeRole: ({ at, memberId, role, tenantId }) =>
      changeMember({
        tenantId,
        memberId,
        isAdminAfter: role === Role.admin,
        change: (member) =>
          Effect.as(
            sql`UPDATE member SET role = ${role}, updated_at = ${millis(at)}
              WHERE id = ${memberId} AND tenant_id = ${tenantId}`,
            { ...member, role: { id: role, name: Role.nameOf(role) }, updatedAt: at }
          )
      }).pipe(operation("members.changeRole")),

    remove: (tenantId, memberId) =>
      changeMember({
        tenantId,
        memberId,
        isAdminAfter: false,
        change: () => sql`DELETE FROM member WHERE id = ${memberId} AND tenant_id = ${tenantId}`
      }).pipe(Effect.map(Option.isSome), operation("members.remove"))
  })
})

export const layer: Layer.Layer<MemberRepository, never, SqlClient> = Layer.effect(MemberRepository, make)
