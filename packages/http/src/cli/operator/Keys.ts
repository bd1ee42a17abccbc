/**
 * `holdfast keys`: manages account keys in the database, without a service.
 */
import * as Access from "@holdfast/core/access/Access"
import * as ApiKey from "@holdfast/core/access/ApiKey"
import * as Actor from "@holdfast/core/Actor"
import * as Accounts from "@holdfast/core/accounts/Accounts"
import type { AccountKey } from "@holdfast/core/accounts/AccountKey"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as CoreLayer from "../../server/compose/CoreLayer.ts"
import * as MetadataLayer from "../../server/compose/MetadataLayer.ts"
import * as Output from "../terminal/Output.ts"

/** The account service only. It opens the metadata, which several processes may share, and not the blob store. */
const services = (settings: MetadataLayer.MetadataSettings) =>
  Accounts.layer.pipe(
    Layer.provide([Access.layer, CoreLayer.layerCrypto]),
    Layer.provide(MetadataLayer.layer(settings))
  )

export const create = (settings: MetadataLayer.MetadataSettings, input: Accounts.CreateAccountKey) =>
  Effect.gen(function* () {
    const { createKey } = yield* Accounts.Accounts
    const { account, id, key } = yield* createKey(Actor.system, input)
    yield* Output.writeError(`Created ${id} of ${account.email}. The key is shown only once:`)
    yield* Output.writeLine(Redacted.value(key))
  }).pipe(Effect.provide(services(settings)))

const formatDate = (time: DateTime.Utc | null): string => (time === null ? "-" : DateTime.formatIso(time))

const toCells = (key: AccountKey): ReadonlyArray<string> => [
  key.id,
  key.account.email,
  key.name,
  `${key.prefix}…`,
  formatDate(key.createdAt),
  formatDate(key.lastUsedAt),
  formatDate(key.revokedAt)
]

const heading = ["ID", "ACCOUNT", "NAME", "KEY", "CREATED", "LAST USED", "REVOKED"]

const toJson = ({ account, createdAt, id, lastUsedAt, name, prefix, revokedAt }: AccountKey): string =>
  JSON.stringify({
    id,
    account,
    name,
    prefix,
    createdAt: DateTime.formatIso(createdAt),
    lastUsedAt: lastUsedAt === null ? null : DateTime.formatIso(lastUsedAt),
    revokedAt: revokedAt === null ? null : DateTime.formatIso(revokedAt)
  })

/** Lists the keys of all pages. */
const listAll = Effect.gen(function* () {
  const { listKeys } = yield* Accounts.Accounts
  const keys: Array<AccountKey> = []
  let cursor: string | null = null
  do {
    const page: Effect.Success<ReturnType<typeof listKeys>> = yield* listKeys(Actor.system, {
      limit: 1000,
      cursor: cursor ?? undefined
    })
    keys.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return keys
})

export const list = (settings: MetadataLayer.MetadataSettings, { json }: { readonly json: boolean }) =>
  Effect.gen(function* () {
    const keys = yield* listAll
    if (!json) return yield* Output.writeLine(Output.table([heading, ...keys.map(toCells)]))
    yield* Effect.forEach(keys, (key) => Output.writeLine(toJson(key)), { discard: true })
  }).pipe(Effect.provide(services(settings)))

export const revoke = (settings: MetadataLayer.MetadataSettings, id: string) =>
  Effect.gen(function* () {
    const { revokeKey } = yield* Accounts.Accounts
    const { account, name } = yield* revokeKey(Actor.system, id)
    yield* Output.writeLine(`${id} (${name}) of ${account.email} is revoked.`)
  }).pipe(Effect.provide(services(settings)))

export const generate = Effect.flatMap(ApiKey.mint, ({ key }) => Output.writeLine(Redacted.value(key))).pipe(
  Effect.provide(CoreLayer.layerCrypto)
)
