/**
 * The port that stores tenants. Each method is one atomic step.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { MetadataError } from "../MetadataError.ts"
import type { Member } from "../members/Member.ts"
import type { Slice } from "../Page.ts"
import type { SubdomainTaken, Tenant, TenantNotEmpty, UpdateTenant } from "./Tenant.ts"

export class TenantRepository extends Context.Service<
  TenantRepository,
  {
    /** Stores a tenant, and its first member when one is given. The member's account must exist. */
    readonly create: (creation: {
      readonly tenant: Tenant
      readonly member?: Member | undefined
    }) => Effect.Effect<void, SubdomainTaken | MetadataError>

    readonly find: (tenantId: string) => Effect.Effect<Option.Option<Tenant>, MetadataError>

    /** Lists tenants, ordered by id: those that the account is a member of, or all tenants without an `accountId`. */
    readonly list: (
      query: { readonly accountId?: string | undefined } & Slice
    ) => Effect.Effect<ReadonlyArray<Tenant>, MetadataError>

    /** Changes the fields that `change` has. None when there is no such tenant. */
    readonly update: (update: {
      readonly tenantId: string
      readonly change: UpdateTenant
      readonly at: DateTime.Utc
    }) => Effect.Effect<Option.Option<Tenant>, SubdomainTaken | MetadataError>

    /**
     * Removes a tenant with its members and tokens; false when there is none. With `force`, removes its buckets and files
     * too: their blobs become DOOMED and may be swept from `sweepAt` on. Without `force`, fails with `TenantNotEmpty`
     * when the tenant has buckets. Uploads in progress fail at their commit.
     */
    readonly remove: (removal: {
      readonly tenantId: string
      readonly force: boolean
      readonly sweepAt: DateTime.Utc
    }) => Effect.Effect<boolean, TenantNotEmpty | MetadataError>
  }
>()("@holdfast/core/tenants/TenantRepository") {}
