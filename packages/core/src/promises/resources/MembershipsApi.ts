/**
 * Memberships of the actor's own account: `holdfast.memberships` and `client.memberships`.
 */
import type * as Invitation from "../../members/Invitation.ts"
import { type LeaveOptions, Memberships } from "../../members/Memberships.ts"
import type * as Page from "../../Page.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import type { Methods } from "../Operations.ts"
import type { WithTimes } from "../internal/Times.ts"
import type { MemberRecord } from "./MembersApi.ts"
import type { TenantRef } from "./internal/Shared.ts"

export interface InvitationRecord<Time = Date> extends WithTimes<Invitation.Invitation, Time> {}
export interface LeaveTenantInput extends TenantRef, LeaveOptions {}

export interface MembershipOperations<Time> {
  /** Lists the invitations of the account. API tokens have none: they reject with `forbidden`, as in the other methods. */
  invitations(input?: Page.Request): Page.Page<InvitationRecord<Time>>

  /** Accepts the invitation of a tenant. */
  accept(input: TenantRef): MemberRecord<Time>

  /**
   * Leaves a tenant, or declines its invitation. Rejects with `last_admin`, and without `created` with
   * `created_resources_remain` when the member created tokens of other members, or mirrors.
   */
  leave(input: LeaveTenantInput): void
}

export interface MembershipsApi extends Methods<MembershipOperations<Date>, [actor: ActorHandle]> {}

export const make = (invoke: Invoke): MembershipsApi =>
  bind<MembershipOperations<Date>>(
    invoke,
    {
      invitations: (actor, input) => Memberships.use((service) => service.invitations(actor, input)),
      accept: (actor, { tenantId }) => Memberships.use((service) => service.accept(actor, tenantId)),
      leave: (actor, input) => Memberships.use((service) => service.leave(actor, input.tenantId, input))
    },
    { invitations: Fields.page, accept: Fields.tenant, leave: { ...Fields.tenant, created: true } },
    { invitations: true }
  )
