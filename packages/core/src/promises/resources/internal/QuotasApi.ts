/**
 * Limits of tenants: `holdfast.quotas`. The HTTP API has no such operations.
 */
import type * as Quota from "../../../quotas/Quota.ts"
import { Quotas } from "../../../usage/Quotas.ts"
import type { ActorHandle } from "../../internal/ActorHandle.ts"
import { bind, type Invoke } from "../../internal/BindOperations.ts"
import type { Methods } from "../../Operations.ts"
import type { TenantRef } from "./Shared.ts"

export interface TenantQuotaRecord extends Quota.TenantQuota {}
export interface SetQuotaInput extends TenantRef, Quota.ChangeQuota {}

interface QuotaOperations {
  /** Returns the limits of a tenant: all that hold (`limits`), and those that were set for it (`own`). */
  get(input: TenantRef): TenantQuotaRecord

  /** Sets limits of a tenant; null for no limit, `"default"` for that of the settings. They hold within a second. */
  set(input: SetQuotaInput): TenantQuotaRecord
}

/** For the operator: rejects with `Forbidden` for any actor but `holdfast.system()`. */
export interface QuotasApi extends Methods<QuotaOperations, [actor: ActorHandle]> {}

export const make = (invoke: Invoke): QuotasApi =>
  bind<QuotaOperations>(invoke, {
    get: (actor, { tenantId }) => Quotas.use((service) => service.get(actor, tenantId)),
    set: (actor, input) => Quotas.use((service) => service.set(actor, input.tenantId, input))
  })
