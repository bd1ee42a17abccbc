/**
 * `holdfast tenants`, `buckets`, `tokens` and `usage`: what a deployment has, read from the database without a service.
 */
import * as Access from "@holdfast/core/access/Access"
import * as Actor from "@holdfast/core/Actor"
import * as Bucket from "@holdfast/core/buckets/Bucket"
import * as Buckets from "@holdfast/core/buckets/Buckets"
import * as Page from "@holdfast/core/Page"
import * as Settings from "@holdfast/core/Settings"
import * as Tenant from "@holdfast/core/tenants/Tenant"
import * as Tenants from "@holdfast/core/tenants/Tenants"
import * as Token from "@holdfast/core/tokens/Token"
import * as Tokens from "@holdfast/core/tokens/Tokens"
import * as Quotas from "@holdfast/core/usage/Quotas"
import type { Usage } from "@holdfast/core/usage/Usage"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Config } from "../../server/config/Config.ts"
import * as CoreLayer from "../../server/compose/CoreLayer.ts"
import * as MetadataLayer from "../../server/compose/MetadataLayer.ts"
import * as QuotaSettings from "../../server/compose/QuotaSettings.ts"
import * as Output from "../terminal/Output.ts"

export interface Options {
  readonly json: boolean
}

export interface TenantOptions extends Options {
  readonly tenantId: string
}

/** The services that read metadata. The blob store stays closed. */
const services = (config: Config) =>
  Layer.mergeAll(Tenants.layer, Buckets.layer, Tokens.layer, Quotas.layer).pipe(
    Layer.provide([Access.layer, CoreLayer.layerCrypto, Quotas.layerQuotaOf]),
    Layer.provide(MetadataLayer.layer(config)),
    Layer.provide(Layer.succeed(Settings.Settings, Settings.fromInput({ quota: QuotaSettings.fromConfig(config) })))
  )

interface Printing<A, E> extends Options {
  readonly heading: ReadonlyArray<string>
  readonly list: (page: Page.Request) => Effect.Effect<Page.Page<A>, E>
  readonly toCells: (item: A) => ReadonlyArray<string>
  readonly toJson: (item: A) => unknown
}

/** Prints a list page by page, so that memory does not grow with its length. */
const print = Effect.fnUntraced(function* <A, E>({
  heading,
  json,
  list,
  toCells,
  toJson
}: Printing<A, E>): Effect.fn.Return<void, E> {
  let cursor: string | null = null
  let before: ReadonlyArray<ReadonlyArray<string>> = json ? [] : [heading]
  do {
    const page: Page.Page<A> = yield* list({ limit: Page.maxLimit, cursor: cursor ?? undefined })
    const lines = json
      ? page.items.map((item) => JSON.stringify(toJson(item))).join("\n")
      : Output.table([...before, ...page.items.map(toCells)])
    if (lines !== "") yield* Output.writeLine(lines)
    before = []
    cursor = page.nextCursor
  } while (cursor !== null)
})

const encodeBucket = Schema.encodeSync(Bucket.Bucket)

const encodeToken = Schema.encodeSync(Token.Token)

const date = (time: DateTime.Utc | null): string => (time === null ? "-" : DateTime.formatIso(time))

const limit = (number: number | null): string => (number === null ? "none" : String(number))

export const tenants = (config: Config, { json }: Options) =>
  Effect.flatMap(Tenants.Tenants, ({ list }) =>
    print({
      json,
      heading: ["ID", "SUBDOMAIN", "NAME", "CREATED"],
      list: (page) => list(Actor.system, page),
      toCells: ({ createdAt, id, name, subdomain }) => [id, subdomain, Output.printable(name), date(createdAt)],
      toJson: Schema.encodeSync(Tenant.Tenant)
    })
  ).pipe(Effect.provide(services(config)))

export const buckets = (config: Config, { json, tenantId }: TenantOptions) =>
  Effect.gen(function* () {
    const { list } = yield* Buckets.Buckets
    yield* (yield* Tenants.Tenants).get(Actor.system, tenantId)
    yield* print({
      json,
      heading: ["ID", "NAME", "MAX BYTES", "MAX FILES", "CREATED"],
      list: (page) => list(Actor.system, tenantId, page),
      toCells: ({ createdAt, id, maxBytes, maxFiles, name }) => [
        id,
        Output.printable(name),
        limit(maxBytes),
        limit(maxFiles),
        date(createdAt)
      ],
      toJson: encodeBucket
    })
  }).pipe(Effect.provide(services(config)))

/** Lists tokens without their keys, which nothing stores. */
export const tokens = (config: Config, { json, tenantId }: TenantOptions) =>
  Effect.gen(function* () {
    const { list } = yield* Tokens.Tokens
    yield* (yield* Tenants.Tenants).get(Actor.system, tenantId)
    yield* print({
      json,
      heading: ["ID", "NAME", "KEY", "MEMBER", "EXPIRES", "LAST USED", "REVOKED"],
      list: (page) => list(Actor.system, tenantId, page),
      toCells: ({ expiresAt, id, lastUsedAt, member, name, prefix, revokedAt }) => [
        id,
        Output.printable(name),
        `${prefix}…`,
        member.id,
        date(expiresAt),
        date(lastUsedAt),
        date(revokedAt)
      ],
      toJson: encodeToken
    })
  }).pipe(Effect.provide(services(config)))

const toUsageCells = ({ contentBytes, files, reservedBytes, streamBytes }: Usage): ReadonlyArray<string> =>
  [files, contentBytes, streamBytes, reservedBytes].map(String)

/** Prints what each bucket of a tenant uses, and then the tenant itself. */
export const usage = (config: Config, { json, tenantId }: TenantOptions) =>
  Effect.gen(function* () {
    const { list } = yield* Buckets.Buckets
    const { ofBucket, ofTenant } = yield* Quotas.Quotas
    const { limits, usage } = yield* ofTenant(Actor.system, tenantId)
    /** A bucket that is removed meanwhile is left out. */
    const report = ({ id: bucketId, name }: Bucket.Bucket) =>
      ofBucket(Actor.system, { tenantId, bucketId }).pipe(
        Effect.map((found) => [{ bucketId, name, ...found }]),
        Effect.catchTag("NotFound", () => Effect.succeed([]))
      )
    const reports = (request: Page.Request) =>
      Effect.gen(function* () {
        const { items, nextCursor } = yield* list(Actor.system, tenantId, request)
        return { items: (yield* Effect.forEach(items, report)).flat(), nextCursor }
      })
    yield* print({
      json,
      heading: ["ID", "NAME", "FILES", "CONTENT BYTES", "STREAM BYTES", "RESERVED BYTES"],
      list: reports,
      toCells: (bucket) => [bucket.bucketId, Output.printable(bucket.name), ...toUsageCells(bucket.usage)],
      toJson: (bucket) => bucket
    })
    yield* Output.writeLine(
      json
        ? JSON.stringify({ tenantId, usage, limits })
        : `${tenantId}: ${usage.files} files, ${usage.contentBytes} bytes of contents, ${usage.streamBytes} of streams`
    )
  }).pipe(Effect.provide(services(config)))
