/**
 * Tenants: `holdfast.tenants` and `client.tenants`.
 */
import type * as Page from "../../Page.ts"
import type * as Tenant from "../../tenants/Tenant.ts"
import { Tenants } from "../../tenants/Tenants.ts"
import { Quotas } from "../../usage/Quotas.ts"
import type { TenantUsage } from "../../usage/UsageReport.ts"
import type { ActorHandle } from "../internal/ActorHandle.ts"
import { bind, type Invoke } from "../internal/BindOperations.ts"
import * as Fields from "../internal/options/InputFields.ts"
import type { CallOptions, Methods } from "../Operations.ts"
import type { WithTimes } from "../internal/Times.ts"
import type { ForceOption, TenantRef } from "./internal/Shared.ts"
import type { MemberRecord } from "./MembersApi.ts"

export interface TenantRecord<Time = Date> extends WithTimes<Tenant.Tenant, Time> {}

/** A new tenant. */
export interface CreatedTenantRecord<Time = Date> extends TenantRecord<Time> {
  /** The membership of the account that created it, with the role Admin; null when the deployment itself did. */
  readonly member: MemberRecord<Time> | null
}

export interface CreateTenantInput {
  /** At most 255 bytes. */
  readonly name: string
  /** Unique in the deployment: 3 to 63 lower-case letters, digits and inner hyphens. */
  readonly subdomain: string
}

/** What to change of a tenant. Absent fields stay as they are. */
export interface UpdateTenantInput extends TenantRef {
  /** The new name. */
  readonly name?: string | undefined
  /** The new subdomain. */
  readonly subdomain?: string | undefined
}

export interface RemoveTenantInput extends TenantRef, ForceOption {}

export interface TenantUsageRecord extends TenantUsage {}

export interface TenantOperations<Time> {
  /** Creates a tenant, and makes the actor's account its Admin. Rejects with `subdomain_taken`. */
  create(input: CreateTenantInput): CreatedTenantRecord<Time>

  /** Lists the tenants of which the actor's account is a member. */
  list(input?: Page.Request): Page.Page<TenantRecord<Time>>

  /** Returns a tenant. */
  get(input: TenantRef): TenantRecord<Time>

  /** Returns what a tenant has, and its limits. */
  usage(input: TenantRef): TenantUsageRecord

  /** Changes the name or the subdomain of a tenant. Rejects with `subdomain_taken`. */
  update(input: UpdateTenantInput): TenantRecord<Time>

  /**
   * Removes a tenant, with `force` also its buckets and their files. Without it rejects with `tenant_not_empty` while the
   * tenant has buckets.
   */
  remove(input: RemoveTenantInput): void
}

/** A new tenant of an account, which is a member of it. */
export interface OwnTenantRecord extends CreatedTenantRecord {
  /** The membership of the account that created it, with the role Admin. */
  readonly member: MemberRecord
}

/** The creation of tenants: an account becomes a member of its tenant, the deployment itself does not. */
interface Creation {
  /** Creates a tenant, and makes the actor's account its Admin. Rejects with `subdomain_taken`. */
  create(actor: ActorHandle<"account">, input: CreateTenantInput, options?: CallOptions): Promise<OwnTenantRecord>
  /** Creates a tenant without a member for `holdfast.system()`. Rejects with `subdomain_taken`. */
  create(actor: ActorHandle, input: CreateTenantInput, options?: CallOptions): Promise<CreatedTenantRecord>
}

export interface TenantsApi extends Methods<Omit<TenantOperations<Date>, "create">, [actor: ActorHandle]>, Creation {}

// The effect has one type for both kinds of actors.
export const make = (invoke: Invoke): TenantsApi =>
  bind<TenantOperations<Date>>(
    invoke,
    {
      create: (actor, input) => Tenants.use((service) => service.create(actor, input)),
      list: (actor, input) => Tenants.use((service) => service.list(actor, input)),
      get: (actor, { tenantId }) => Tenants.use((service) => service.get(actor, tenantId)),
      usage: (actor, { tenantId }) => Quotas.use((service) => service.ofTenant(actor, tenantId)),
      update: (actor, input) => Tenants.use((service) => service.update(actor, input.tenantId, input)),
      remove: (actor, input) => Tenants.use((service) => service.remove(actor, input.tenantId, input))
    },
    {
      create: { name: true, subdomain: true },
      list: Fields.page,
      get: Fields.tenant,
      usage: Fields.tenant,
      update: { ...Fields.tenant, name: true, subdomain: true },
      remove: { ...Fields.tenant, force: true }
    },
    { list: true }
  ) as TenantsApi
