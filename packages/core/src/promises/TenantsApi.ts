/**
 * `holdfast.tenants`.
 */
import * as Effect from "effect/Effect"
import type * as Page from "../Page.ts"
import type * as Tenant from "../tenants/Tenant.ts"
import { Tenants } from "../tenants/Tenants.ts"
import type { ActorHandle } from "./Actors.ts"
import type { Call, InTenant } from "./Call.ts"
import * as Plain from "./Plain.ts"
import type { CallOptions } from "./Runner.ts"

export type TenantRecord = Plain.Plain<Tenant.Tenant>

export class TenantsApi {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  /** Creates a tenant; the account that asks becomes its Admin. Rejects with `SubdomainTaken`. */
  create(
    actor: ActorHandle,
    input: Tenant.CreateTenant,
    options?: CallOptions
  ): Promise<Plain.Plain<Tenant.CreatedTenant>> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Tenants.use((tenants) => tenants.create(as, input)),
        Plain.fromCore
      )
    )
  }

  /** The tenants that the actor is a member of. */
  list(
    actor: ActorHandle,
    input: Page.Request = {},
    options?: CallOptions
  ): Promise<Plain.Plain<Page.Page<Tenant.Tenant>>> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Tenants.use((tenants) => tenants.list(as, input)),
        Plain.fromCore
      )
    )
  }

  get(actor: ActorHandle, input: InTenant, options?: CallOptions): Promise<TenantRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Tenants.use((tenants) => tenants.get(as, input.tenantId)),
        Plain.fromCore
      )
    )
  }

  update(actor: ActorHandle, input: InTenant & Tenant.UpdateTenant, options?: CallOptions): Promise<TenantRecord> {
    return this.#call(actor, input, options, (as) =>
      Effect.map(
        Tenants.use((tenants) => tenants.update(as, input.tenantId, input)),
        Plain.fromCore
      )
    )
  }

  /** Removes a tenant that has no buckets, with `force` one with everything in it. */
  remove(
    actor: ActorHandle,
    input: InTenant & { readonly force?: boolean | undefined },
    options?: CallOptions
  ): Promise<void> {
    return this.#call(actor, input, options, (as) =>
      Tenants.use((tenants) => tenants.remove(as, input.tenantId, input))
    )
  }
}
