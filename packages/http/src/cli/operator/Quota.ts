/**
 * `holdfast quota`: shows and sets the limits of a tenant in the database, without a service.
 */
import * as Access from "@holdfast/core/access/Access"
import * as Actor from "@holdfast/core/Actor"
import { InvalidRequest } from "@holdfast/core/Errors"
import * as Quota from "@holdfast/core/quotas/Quota"
import * as Settings from "@holdfast/core/Settings"
import * as Quotas from "@holdfast/core/usage/Quotas"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Config } from "../../server/config/Config.ts"
import * as SettingType from "../../server/config/SettingType.ts"
import * as CoreLayer from "../../server/compose/CoreLayer.ts"
import * as MetadataLayer from "../../server/compose/MetadataLayer.ts"
import * as QuotaSettings from "../../server/compose/QuotaSettings.ts"
import * as Output from "../terminal/Output.ts"

type Names = keyof Settings.Quota
type Texts = { readonly [Name in Names]: Option.Option<string> }

const services = (config: Config) =>
  Quotas.layer.pipe(
    Layer.provide([Access.layer, CoreLayer.layerCrypto, Quotas.layerQuotaOf]),
    Layer.provide(MetadataLayer.layer(config)),
    Layer.provide(Layer.succeed(Settings.Settings, Settings.fromInput({ quota: QuotaSettings.fromConfig(config) })))
  )

const print = Effect.fnUntraced(function* (tenantId: string, isJson: boolean) {
  const quotas = yield* Quotas.Quotas
  const { limits, own } = yield* quotas.get(Actor.system, tenantId)
  const { usage } = yield* quotas.ofTenant(Actor.system, tenantId)
  if (isJson) return yield* Output.writeLine(JSON.stringify({ limits, own, usage }))
  const used: { readonly [Name in Names]?: number } = {
    ...usage,
    bytes: usage.contentBytes + usage.streamBytes + usage.reservedBytes
  }
  const rows = Quota.names.map((name) => [
    name,
    String(used[name] ?? "-"),
    String(limits[name] ?? "none"),
    own[name] === undefined ? "settings" : "tenant"
  ])
  return yield* Output.writeLine(Output.table([["RESOURCE", "USED", "LIMIT", "SET FOR"], ...rows]))
})

export const get = (config: Config, { json, tenantId }: { readonly tenantId: string; readonly json: boolean }) =>
  print(tenantId, json).pipe(Effect.provide(services(config)))

/** Returns the value of an option. The bounds of numbers are those of `Quotas.set`. */
const parse = Effect.fnUntraced(function* (name: string, text: string) {
  if (text === "default") return text
  const number = name === "bytes" && text !== "0" ? SettingType.bytes : SettingType.integer(0, Number.MAX_SAFE_INTEGER)
  const type = SettingType.orNone(number)
  const value = yield* type.parse(text).pipe(Effect.provide(CoreLayer.layerCrypto))
  return Option.isSome(value)
    ? value.value
    : yield* InvalidRequest.at(`/${name}`, `must be ${type.expected}, or default`)
})

export const set = (
  config: Config,
  { json, tenantId, texts }: { readonly tenantId: string; readonly texts: Texts; readonly json: boolean }
) =>
  Effect.gen(function* () {
    const change: { [Name in Names]?: number | null | "default" } = {}
    for (const name of Quota.names) {
      const text = texts[name]
      if (Option.isSome(text)) change[name] = yield* parse(name, text.value)
    }
    yield* (yield* Quotas.Quotas).set(Actor.system, tenantId, change)
    yield* print(tenantId, json)
  }).pipe(Effect.provide(services(config)))
