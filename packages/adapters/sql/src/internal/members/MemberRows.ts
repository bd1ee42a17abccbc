/**
 * Reads and writes the rows of members.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Member } from "@holdfast/core/members/Member"
import * as Role from "@holdfast/core/Role"
import { emailKey } from "../accounts/AccountRows.ts"
import { millis } from "../Dialect.ts"
import * as Row from "../Row.ts"

export const columns = `id, account_id, role, invited_email_key, created_at, updated_at,
  (SELECT account.email FROM account WHERE account.id = member.account_id) AS email`

export const toMember: Row.FromRow<Member> = (row) => {
  const role = Row.oneOf(Role.RoleId.literals, row, "role")
  return {
    id: Row.text(row, "id"),
    user: { id: Row.text(row, "account_id"), email: Row.text(row, "email") },
    role: { id: role, name: Role.nameOf(role) },
    status: row.invited_email_key === null ? "ACTIVE" : "INVITED",
    createdAt: Row.instant(row, "created_at"),
    updatedAt: Row.instant(row, "updated_at")
  }
}

/** Inserts a member whose account is stored already. */
export const insert = (sql: SqlClient, tenantId: string, member: Member) =>
  sql`INSERT INTO member (id, tenant_id, account_id, role, invited_email_key, created_at, updated_at)
    VALUES (${member.id}, ${tenantId}, ${member.user.id}, ${member.role.id},
      ${member.status === "INVITED" ? emailKey(member.user.email) : null}, ${millis(member.createdAt)}, ${millis(member.updatedAt)})`
