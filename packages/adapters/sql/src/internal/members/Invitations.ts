/**
 * Members who have not accepted yet.
 *
 * An INVITED member refers to a row of `account` of its own, which has the e-mail as it was entered and the member's id in place of
 * the folded e-mail, so that no look-up by e-mail finds it. So no statement of an invitation returns the account that may have the
 * e-mail, and no record shows it. When the account accepts, the member and its tokens refer to it instead.
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Account } from "@holdfast/core/accounts/Account"
import type { Invitation } from "@holdfast/core/members/Invitation"
import { type Member, MemberExists } from "@holdfast/core/members/Member"
import type { Slice } from "@holdfast/core/Page"
import * as Role from "@holdfast/core/Role"
import { emailKey } from "../accounts/AccountRows.ts"
import { isOpenTenant } from "../buckets/OpenBucket.ts"
import { among, lock, millis, unplannedText } from "../Dialect.ts"
import * as Row from "../Row.ts"
import { columns, insert, toMember } from "./MemberRows.ts"

const readId = (row: Row.Row) => Row.text(row, "id")

/** Finds the member of a tenant with an e-mail, in either state. */
export const findByEmail = (sql: SqlClient, tenantId: string, email: string) =>
  sql`SELECT member.id FROM member JOIN account ON account.id = member.account_id
      WHERE member.tenant_id = ${tenantId} AND account.email_key = ${emailKey(email)}
    UNION ALL SELECT id FROM member WHERE invited_email_key = ${emailKey(email)} AND tenant_id = ${tenantId}
    LIMIT 1`.pipe(Row.first(readId))

/** Inserts an INVITED member. */
export const invite = Effect.fnUntraced(function* (sql: SqlClient, tenantId: string, member: Member) {
  const { email, id } = member.user
  yield* sql`INSERT INTO account (id, email, email_key) VALUES (${id}, ${email}, ${member.id})`
  yield* insert(sql, tenantId, member)
})

/** Deletes the accounts of members that are deleted, or INVITED no more. No other row refers to them. */
export const removeAccounts = (sql: SqlClient, accountIds: ReadonlyArray<string>) =>
  accountIds.length === 0 ? Effect.void : sql`DELETE FROM account WHERE ${among(sql, "id", accountIds)}`

/** Finds the accounts of the INVITED members of a tenant. */
export const findAccounts = (sql: SqlClient, tenantId: string) =>
  sql`SELECT account_id FROM member WHERE tenant_id = ${unplannedText(sql, tenantId)} AND invited_email_key IS NOT NULL`.pipe(
    Row.all((row) => Row.text(row, "account_id"))
  )

const toInvitation: Row.FromRow<Invitation> = (row) => {
  const role = Row.oneOf(Role.RoleId.literals, row, "role")
  return {
    tenant: { id: Row.text(row, "tenant_id"), name: Row.text(row, "name") },
    role: { id: role, name: Role.nameOf(role) },
    createdAt: Row.instant(row, "created_at")
  }
}

export const list = (sql: SqlClient, { after, email, limit }: { readonly email: string } & Slice) =>
  sql`SELECT member.tenant_id, tenant.name, member.role, member.created_at
    FROM member JOIN tenant ON tenant.id = member.tenant_id
    WHERE member.invited_email_key = ${emailKey(email)} AND member.tenant_id > ${after ?? ""} AND tenant.removed = 0
    ORDER BY member.tenant_id LIMIT ${limit}`.pipe(Row.all(toInvitation))

/** Makes the INVITED member with the account's e-mail ACTIVE, in a transaction. The lock on the tenant excludes other changes. */
export const accept = Effect.fnUntraced(function* (
  sql: SqlClient,
  { account, at, tenantId }: { readonly tenantId: string; readonly account: Account; readonly at: DateTime.Utc }
) {
  const open = yield* sql`SELECT id FROM tenant
    WHERE ${isOpenTenant(sql, tenantId)} ${lock(sql, "FOR NO KEY UPDATE")}`
  if (open.length === 0) return Option.none<Member>()
  const invited = yield* sql`SELECT ${sql.literal(columns)} FROM member
    WHERE invited_email_key = ${emailKey(account.email)} AND tenant_id = ${tenantId}`.pipe(Row.first(toMember))
  if (Option.isNone(invited)) return Option.none<Member>()
  const { id, user } = invited.value
  const other = yield* sql`SELECT id FROM member WHERE tenant_id = ${tenantId} AND account_id = ${account.id}`.pipe(
    Row.first(readId)
  )
  if (Option.isSome(other)) return yield* new MemberExists({ existingId: other.value })
  yield* sql`UPDATE member SET account_id = ${account.id}, invited_email_key = NULL, updated_at = ${millis(at)}
    WHERE id = ${id}`
  // Locked in order of their ids, as the recording of uses locks them.
  yield* sql`SELECT id FROM api_key WHERE member_id = ${id} ORDER BY id ${lock(sql, "FOR NO KEY UPDATE")}`
  yield* sql`UPDATE api_key SET account_id = ${account.id} WHERE member_id = ${id}`
  yield* removeAccounts(sql, [user.id])
  return Option.some<Member>({ ...invited.value, user: account, status: "ACTIVE", updatedAt: at })
})
