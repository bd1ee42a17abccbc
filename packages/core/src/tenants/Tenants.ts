/**
 * Creates, reads, changes and removes tenants.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { Access, type AccessError, tokenOf } from "../access/Access.ts"
import type { Actor } from "../Actor.ts"
import { type InvalidCursor, type InvalidRequest, NotFound } from "../Errors.ts"
import { by } from "../events/EventAuthor.ts"
import * as Ids from "../Ids.ts"
import * as Input from "../Input.ts"
import * as Page from "../Page.ts"
import * as Role from "../Role.ts"
import { Settings } from "../Settings.ts"
import { StorageRoom } from "../StorageRoom.ts"
import * as Tenant from "./Tenant.ts"
import { TenantRepository } from "./TenantRepository.ts"

export class Tenants extends Context.Service<
  Tenants,
  {
    /**
     * Creates a tenant; the actor's account becomes its Admin. Fails with `Forbidden` for an API token unless
     * `Settings.tokensMayCreateTenants` is set. The deployment itself creates tenants without members.
     */
    readonly create: (
      actor: Actor,
      input: Tenant.CreateTenant
    ) => Effect.Effect<Tenant.CreatedTenant, AccessError | InvalidRequest | Tenant.SubdomainTaken>

    /** Lists the actor's tenants: all that its account is a member of; a token's own one; all for the deployment itself. */
    readonly list: (
      actor: Actor,
      page: Page.Request
    ) => Effect.Effect<Page.Page<Tenant.Tenant>, AccessError | InvalidRequest | InvalidCursor>

    readonly get: (actor: Actor, tenantId: string) => Effect.Effect<Tenant.Tenant, AccessError | NotFound>

    readonly update: (
      actor: Actor,
      tenantId: string,
      input: Tenant.UpdateTenant
    ) => Effect.Effect<Tenant.Tenant, AccessError | NotFound | InvalidRequest | Tenant.SubdomainTaken>

    /** Removes a tenant without buckets; with `force`, a tenant with all its buckets and files. */
    readonly remove: (
      actor: Actor,
      tenantId: string,
      options?: { readonly force?: boolean | undefined }
    ) => Effect.Effect<void, AccessError | NotFound | Tenant.TenantNotEmpty>
  }
>()("@holdfast/core/tenants/Tenants") {}

const decodeCreate = Input.decoder(Tenant.CreateTenant)
const decodeUpdate = Input.decoder(Tenant.UpdateTenant)

const make = Effect.gen(function* () {
  const access = yield* Access
  const room = yield* StorageRoom
  const repository = yield* TenantRepository
  const settings = yield* Settings
  const random = yield* SecureRandom
  const newId = (kind: Ids.Kind) => Effect.provideService(Ids.make(kind), SecureRandom, random)
  const missing = new NotFound({ resource: "tenant" })

  return Tenants.of({
    create: Effect.fn("Tenants.create")(function* (actor, input) {
      const identity = yield* access.requireAccount(actor)
      const { name, subdomain } = yield* decodeCreate(input)
      const now = yield* DateTime.now
      const tenant = { id: yield* newId("ten"), name, subdomain, createdAt: now, updatedAt: now }
      const member =
        identity === "system"
          ? undefined
          : {
              id: yield* newId("mem"),
              user: identity.account,
              role: { id: Role.admin, name: Role.nameOf(Role.admin) },
              status: "ACTIVE" as const,
              createdAt: now,
              updatedAt: now
            }
      yield* room.forRecord
      yield* by(identity)(repository.create({ tenant, member }))
      yield* access.clearCache
      return { ...tenant, member: member ?? null }
    }),

    list: Effect.fn("Tenants.list")(function* (actor, page) {
      const identity = yield* access.identify(actor)
      const token = tokenOf(identity)
      if (token !== undefined) {
        yield* access.require(actor, token.tenantId, "tenant:read")
        const own = yield* repository.find(token.tenantId)
        return { items: Option.toArray(own), nextCursor: null }
      }
      const accountId = identity === "system" ? undefined : identity.account.id
      return yield* Page.listById(page, (slice) => repository.list({ accountId, ...slice }))
    }),

    get: Effect.fn("Tenants.get")(function* (actor, tenantId) {
      yield* access.require(actor, tenantId, "tenant:read")
      return yield* NotFound.whenNone(repository.find(tenantId), missing)
    }),

    update: Effect.fn("Tenants.update")(function* (actor, tenantId, input) {
      const identity = yield* access.require(actor, tenantId, "tenant:manage")
      const change = yield* decodeUpdate(input)
      const update = { tenantId, change, at: yield* DateTime.now }
      return yield* NotFound.whenNone(by(identity)(repository.update(update)), missing)
    }),

    remove: Effect.fn("Tenants.remove")(function* (actor, tenantId, options) {
      const identity = yield* access.require(actor, tenantId, "tenant:manage")
      const sweepAt = DateTime.addDuration(yield* DateTime.now, settings.blobGrace)
      const removed = yield* by(identity)(repository.remove({ tenantId, force: options?.force === true, sweepAt }))
      if (!removed) return yield* missing
      yield* access.clearCache
    })
  })
})

export const layer: Layer.Layer<Tenants, never, Access | TenantRepository | SecureRandom> = Layer.effect(Tenants, make)
