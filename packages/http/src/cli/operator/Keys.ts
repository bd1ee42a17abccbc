/**
 * Account keys, on the operator's side: no service in between.
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
import * as Output from "../Output.ts"

/** The account service alone: it opens the metadata, which several processes may, and not the blobs. */
const services = (places: MetadataLayer.MetadataSettings) =>
  Accounts.layer.pipe(Layer.provide([Access.layer, CoreLayer.layerCrypto]), Layer.provide(MetadataLayer.layer(places)))

export const create = (places: MetadataLayer.MetadataSettings, input: Accounts.CreateAccountKey) =>
  Effect.gen(function* () {
    const { createKey } = yield* Accounts.Accounts
    const { account, id, key } = yield* createKey(Actor.system, input)
    yield* Output.writeError(`${id} of ${account.email}. The key is shown this once only:`)
    yield* Output.writeLine(Redacted.value(key))
  }).pipe(Effect.provide(services(places)))

const date = (time: DateTime.Utc | null): string => (time === null ? "-" : DateTime.formatIso(time))

const cells = (key: AccountKey): ReadonlyArray<string> => [
  key.id,
  key.account.email,
  key.name,
  `${key.prefix}…`,
  date(key.createdAt),
  date(key.lastUsedAt),
  date(key.revokedAt)
]

const heading = ["ID", "ACCOUNT", "NAME", "KEY", "CREATED", "LAST USED", "REVOKED"]

const json = ({ account, createdAt, id, lastUsedAt, name, prefix, revokedAt }: AccountKey): string =>
  JSON.stringify({
    id,
    account,
    name,
    prefix,
    createdAt: DateTime.formatIso(createdAt),
    lastUsedAt: lastUsedAt === null ? null : DateTime.formatIso(lastUsedAt),
    revokedAt: revokedAt === null ? null : DateTime.formatIso(revokedAt)
  })

const all = Effect.gen(function* () {
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

export const list = (places: MetadataLayer.MetadataSettings, asJson: boolean) =>
  Effect.gen(function* () {
    const keys = yield* all
    if (!asJson) return yield* Output.writeLine(Output.table([heading, ...keys.map(cells)]))
    yield* Effect.forEach(keys, (key) => Output.writeLine(json(key)), { discard: true })
  }).pipe(Effect.provide(services(places)))

export const revoke = (places: MetadataLayer.MetadataSettings, id: string) =>
  Effect.gen(function* () {
    const { revokeKey } = yield* Accounts.Accounts
    const { account, name } = yield* revokeKey(Actor.system, id)
    yield* Output.writeLine(`${id} (${name}) of ${account.email} is revoked.`)
  }).pipe(Effect.provide(services(places)))

export const generate = Effect.flatMap(ApiKey.mint, ({ key }) => Output.writeLine(Redacted.value(key))).pipe(
  Effect.provide(CoreLayer.layerCrypto)
)
