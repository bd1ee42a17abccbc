/**
 * The quota of a tenant: how much it may have of each resource. The operator sets limits for single tenants; the settings have those of
 * all others.
 */
import * as Schema from "effect/Schema"
import type { Quota } from "../Settings.ts"

/**
 * The largest limit of what is counted when one more is created. The count reads an index, so that it takes some milliseconds at
 * most.
 */
export const mostCounted = 100_000

const maximum = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))

const counter = Schema.NullOr(maximum(Number.MAX_SAFE_INTEGER))
const counted = Schema.NullOr(maximum(mostCounted))
/** A request for a conversion reads twice as many of them. */
const conversions = Schema.NullOr(maximum(1000))
/** The event of each change is queued for each of them. */
export const mostWebhooks = 1000
const webhooks = Schema.NullOr(maximum(mostWebhooks))

/** All headers of a file are read and sent with it. */
export const mostHeaders = 64
const headers = Schema.NullOr(maximum(mostHeaders))

/** The limits of a tenant. */
export const Limits = Schema.Struct({
  bytes: counter.annotate({ description: "Bytes of contents, streams and running uploads. Null: no limit." }),
  files: counter,
  buckets: counted,
  members: counted.annotate({ description: "Members, invited ones included." }),
  tokens: counted.annotate({ description: "Tokens that are neither revoked nor expired." }),
  tokensPerMember: counted.annotate({ description: "Such tokens of one member." }),
  mirrors: counted,
  webhooks,
  shares: counted.annotate({ description: "Shares that have not expired." }),
  headersPerFile: headers.annotate({ description: "Headers of one file." }),
  conversions: conversions.annotate({ description: "Conversions that wait or run." })
}).annotate({ identifier: "TenantLimits" })

/** The limits that the operator has set for one tenant. */
export type OwnLimits = { readonly [Name in keyof Quota]?: Quota[Name] }

export const names = Object.keys(Limits.fields) as ReadonlyArray<keyof Quota>

const change = <S extends Schema.Top>(limit: S) => Schema.optional(Schema.Union([limit, Schema.Literal("default")]))

/** Limits to set for a tenant. `"default"` removes one, so that the limit of the settings holds. */
export const ChangeQuota = Schema.Struct({
  bytes: change(counter),
  files: change(counter),
  buckets: change(counted),
  members: change(counted),
  tokens: change(counted),
  tokensPerMember: change(counted),
  mirrors: change(counted),
  webhooks: change(webhooks),
  shares: change(counted),
  headersPerFile: change(headers),
  conversions: change(conversions)
}).annotate({ identifier: "ChangeQuota" })
export type ChangeQuota = typeof ChangeQuota.Type

/** The limits that hold for a tenant, and those of them that the operator has set for it. */
export interface TenantQuota {
  readonly limits: Quota
  readonly own: OwnLimits
}

/** Returns the limits after a change. */
export const apply = (own: OwnLimits, change: ChangeQuota): OwnLimits =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = change[name] === undefined ? own[name] : change[name]
      return value === undefined || value === "default" ? [] : [[name, value]]
    })
  )

/** How many of each resource a tenant has; at most one more than `mostCounted`. */
export const Counts = Schema.Struct({
  buckets: Schema.Int,
  members: Schema.Int,
  tokens: Schema.Int,
  mirrors: Schema.Int,
  webhooks: Schema.Int,
  shares: Schema.Int,
  conversions: Schema.Int
})
export type Counts = typeof Counts.Type
