import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as CommandFlags from "../CommandFlags.ts"
import * as StoreFlags from "../StoreFlags.ts"

const load = Effect.promise(() => import("../operator/Lists.ts"))

const json = CommandFlags.toggle("json", "Print one JSON object per line")
const tenant = Argument.String("tenant").pipe(Argument.withDescription("Id of the tenant, as `tenants` prints it"))

/** `holdfast tenants` */
export const tenants = Command.make(
  "tenants",
  { json, ...StoreFlags.flags },
  Effect.fnUntraced(function* ({ json, ...parsed }) {
    const config = yield* StoreFlags.loadDeployment(parsed)
    yield* (yield* load).tenants(config, { json })
  })
).pipe(Command.withDescription("List tenants. Works while a service runs"))

/** Returns a command that prints a list of one tenant. */
const ofTenant = (name: "buckets" | "tokens" | "usage", description: string) =>
  Command.make(
    name,
    { tenant, json, ...StoreFlags.flags },
    Effect.fnUntraced(function* ({ json, tenant, ...parsed }) {
      const config = yield* StoreFlags.loadDeployment(parsed)
      yield* (yield* load)[name](config, { tenantId: tenant, json })
    })
  ).pipe(Command.withDescription(description))

/** `holdfast buckets` */
export const buckets = ofTenant("buckets", "List the buckets of a tenant. Works while a service runs")

/** `holdfast tokens` */
export const tokens = ofTenant("tokens", "List the tokens of a tenant, without their keys. Works while a service runs")

/** `holdfast usage` */
export const usage = ofTenant("usage", "Print what the buckets of a tenant use. Works while a service runs")
