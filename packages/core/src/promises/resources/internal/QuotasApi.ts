/**
 * Limits of tenants: `holdfast.quotas`. The HTTP API has no such operations.
 */
import type { Quota as Limits } from "../../../Settings.ts"
import { Quotas } from "../../../usage/Quotas.ts"
import type { ActorHandle } from "../../internal/ActorHandle.ts"
import { bind, type Invoke } from "../../internal/BindOperations.ts"
import * as Fields from "../../internal/options/InputFields.ts"
import type { Methods } from "../../Operations.ts"
import type { TenantRef } from "./Shared.ts"

export interface TenantQuotaRecord {
  /** All limits that hold. */
  readonly limits: Limits
  /** Those that were set for this tenant. */
  readonly own: Partial<Limits>
}

/** A limit; null for none, `"default"` for that of the settings. Absent: it stays as it is. */
type Change = number | null | "default" | undefined

export interface SetQuotaInput extends TenantRef {
  /** Bytes of contents and streams, and those that running uploads have reserved. */
  readonly bytes?: Change
  /** Files. */
  readonly files?: Change
  /** Buckets. */
  readonly buckets?: Change
  /** Members, invited ones included. */
  readonly members?: Change
  /** Tokens that are neither revoked nor expired. */
  readonly tokens?: Change
  /** Such tokens of one member. */
  readonly tokensPerMember?: Change
  /** Mirrors. */
  readonly mirrors?: Change
  /** Webhooks. */
  readonly webhooks?: Change
  /** Shares that have not expired. */
  readonly shares?: Change
  /** Headers of one file. */
  readonly headersPerFile?: Change
  /** Conversions that wait or run. */
  readonly conversions?: Change
}

interface QuotaOperations {
  /** Returns the limits of a tenant: all that hold (`limits`), and those that were set for it (`own`). */
  get(input: TenantRef): TenantQuotaRecord

  /** Sets limits of a tenant; null for no limit, `"default"` for that of the settings. They hold within a second. */
  set(input: SetQuotaInput): TenantQuotaRecord
}

/** For the operator: rejects with `Forbidden` for any actor but `holdfast.system()`. */
export interface QuotasApi extends Methods<QuotaOperations, [actor: ActorHandle]> {}

/** The fields of `SetQuotaInput` beside the tenant. */
const limits = {
  bytes: true,
  files: true,
  buckets: true,
  members: true,
  tokens: true,
  tokensPerMember: true,
  mirrors: true,
  webhooks: true,
  shares: true,
  headersPerFile: true,
  conversions: true
} as const

export const make = (invoke: Invoke): QuotasApi =>
  bind<QuotaOperations>(
    invoke,
    {
      get: (actor, { tenantId }) => Quotas.use((service) => service.get(actor, tenantId)),
      set: (actor, input) => Quotas.use((service) => service.set(actor, input.tenantId, input))
    },
    { get: Fields.tenant, set: { ...Fields.tenant, ...limits } }
  )
