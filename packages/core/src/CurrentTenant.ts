/**
 * The tenant on whose behalf an effect runs. Adapters divide what is scarce, such as the connections to a database, between
 * tenants by it. It grants no permission.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * The id of the tenant, or of the account for work that concerns no tenant; undefined for the work of the deployment itself,
 * such as the sweeper's.
 */
export const CurrentTenant = Context.Reference<string | undefined>("@holdfast/core/CurrentTenant", {
  defaultValue: () => undefined
})

/** Runs an effect on behalf of a tenant. */
export const onBehalfOf =
  (tenantId: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(self, CurrentTenant, tenantId)
