/**
 * Members of a tenant: `holdfast.members` and `client.members`.
 */
import type * as Member from "../../members/Member.ts"
import { type CreatedOption, Members } from "../../members/Members.ts"
import type * as Page from "../../Page.ts"
import type { RoleId, RoleName } from "../../Role.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import type { Methods } from "../Operations.ts"
import type { WithTimes } from "../internal/Times.ts"
import type { TenantRef } from "./internal/Shared.ts"

/** A member of a tenant. */
export interface MemberRef extends TenantRef {
  /** The `id` of the member. */
  readonly memberId: string
}

export interface MemberRecord<Time = Date> extends WithTimes<Member.Member, Time> {}

/** A role by its id, such as `role_file_reader`. */
interface RoleById {
  readonly id: RoleId
  readonly name?: undefined
}

/** A role by its name, such as `File Reader`. */
interface RoleByName {
  readonly name: RoleName
  readonly id?: undefined
}

/** A role, by its id or by its name. */
export type RoleSelector = RoleById | RoleByName

export interface AddMemberInput extends TenantRef {
  /** The account, by its e-mail address. It is created when the address has none. */
  readonly user: { readonly email: string }
  /** What the member may do. */
  readonly role: RoleSelector
}

export interface ListMembersInput extends TenantRef, Page.Request {}

export interface UpdateMemberInput extends MemberRef, CreatedOption {
  /** The new role. */
  readonly role: RoleSelector
}

export interface RemoveMemberInput extends MemberRef, CreatedOption {}

export interface MemberOperations<Time> {
  /**
   * Invites an account by its e-mail address; it has no permission until it accepts (`memberships.accept`). For
   * `holdfast.system()`, adds it at once, and creates the account when the address has none. Rejects with `member_exists`.
   */
  add(input: AddMemberInput): MemberRecord<Time>

  /** Lists the members of a tenant. */
  list(input: ListMembersInput): Page.Page<MemberRecord<Time>>

  /** Returns a member. */
  get(input: MemberRef): MemberRecord<Time>

  /**
   * Changes the role of a member, from the member's next call on. Rejects with `last_admin`, and without `created` with
   * `created_resources_remain` when the member created tokens or mirrors that its new role may not create.
   */
  update(input: UpdateMemberInput): MemberRecord<Time>

  /**
   * Removes a member with its tokens. Rejects with `last_admin`, and without `created` with `created_resources_remain` when the
   * member created tokens of other members, or mirrors.
   */
  remove(input: RemoveMemberInput): void
}

export interface MembersApi extends Methods<MemberOperations<Date>, [actor: ActorHandle]> {}

const member = { ...Fields.tenant, memberId: "id" } as const

export const make = (invoke: Invoke): MembersApi =>
  bind<MemberOperations<Date>>(
    invoke,
    {
      add: (actor, input) => Members.use((service) => service.add(actor, input.tenantId, input)),
      list: (actor, input) => Members.use((service) => service.list(actor, input.tenantId, input)),
      get: (actor, { memberId, tenantId }) => Members.use((service) => service.get(actor, tenantId, memberId)),
      update: (actor, input) => Members.use((service) => service.update(actor, input.tenantId, input.memberId, input)),
      remove: (actor, input) => Members.use((service) => service.remove(actor, input.tenantId, input.memberId, input))
    },
    {
      add: { ...Fields.tenant, user: true, role: true },
      list: { ...Fields.tenant, ...Fields.page },
      get: member,
      update: { ...member, role: true, created: true },
      remove: { ...member, created: true }
    },
    { list: true }
  )
