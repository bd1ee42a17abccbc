/**
 * The port that keeps tenants. Each method is one atomic step.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { MetadataError } from "../MetadataError.ts"
import type { Member } from "../members/Member.ts"
import type { SubdomainTaken, Tenant, TenantNotEmpty, UpdateTenant } from "./Tenant.ts"

export class TenantRepository extends Context.Service<
  TenantRepository,
  {
    /** Stores a tenant, and its first member when there is one (whose account exists). */
    readonly create: (tenant: Tenant, member: Member | undefined) => Effect.Effect<void, SubdomainTaken | MetadataError>

    readonly find: (tenantId: string) => Effect.Effect<Option.Option<Tenant>, MetadataError>

    /** Tenants ordered by id: those that the account is a member of, or all without an account. */
    readonly list: (
      accountId: string | undefined,
      after: string | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Tenant>, MetadataError>

    readonly update: (
      tenantId: string,
      change: UpdateTenant,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<Tenant>, SubdomainTaken | MetadataError>

    /**
     * Removes a tenant with its members and tokens; false when there is none. With `force` also its buckets and files,
     * whose blobs become DOOMED, to be swept from `sweepAt` on; without, a tenant that has buckets is left as it is.
     * Uploads that are under way fail at their commit.
     */
    readonly remove: (
      tenantId: string,
      options: { readonly force: boolean; readonly sweepAt: DateTime.Utc }
    ) => Effect.Effect<boolean, TenantNotEmpty | MetadataError>
  }
>()("@holdfast/core/tenants/TenantRepository") {}
