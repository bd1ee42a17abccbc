/**
 * The columns of `api_key` that limit a token: its scope, and the origins from which it may be used.
 */
import * as Origin from "@holdfast/core/access/Origin"
import * as Scope from "@holdfast/core/access/Scope"
import type { Detail } from "@holdfast/core/events/Event"
import type { Token } from "@holdfast/core/tokens/Token"
import * as Schema from "effect/Schema"
import * as Row from "../Row.ts"

type Limits = Pick<Token, "scope" | "allowedOrigins">

export const names = "scope, allowed_origins"

const isScope = Schema.is(Scope.Scope)
const isAllowedOrigins = Schema.is(Origin.AllowedOrigins)

export const read: Row.FromRow<Limits> = (row) => ({
  scope: Row.orNull((row, column) => Row.json(isScope, row, column), row, "scope"),
  allowedOrigins: Row.orNull((row, column) => Row.json(isAllowedOrigins, row, column), row, "allowed_origins")
})

const encode = (value: object | null): string | null => (value === null ? null : JSON.stringify(value))

const limitedPrefix = "limited:"

/** Returns the hash under which a limited token is stored. */
export const limitedHash = (hash: string): string => `${limitedPrefix}${hash}`

/** Returns the hash of the key of a token that is stored under this hash. */
export const plainHash = (stored: string): string =>
  stored.startsWith(limitedPrefix) ? stored.slice(limitedPrefix.length) : stored

/**
 * Returns the columns of a token. Nodes of a former version ignore its limits. They must not find it: they would give it all
 * permissions of its member. Therefore it is stored under another hash.
 */
export const toColumns = (hash: string, { allowedOrigins, scope }: Limits) => ({
  hash: scope === null && allowedOrigins === null ? hash : limitedHash(hash),
  scope: encode(scope),
  allowed_origins: encode(allowedOrigins)
})

/** Returns the limits as facts of an event. */
export const toDetail = ({ allowedOrigins, scope }: Limits): Detail => {
  const { bucketIds = null, pathPrefix = null, permissions = null } = scope ?? {}
  return {
    ...(scope === null ? undefined : { scope: { bucketIds, pathPrefix, permissions } }),
    ...(allowedOrigins === null ? undefined : { allowedOrigins })
  }
}
