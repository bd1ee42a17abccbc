/**
 * The scope of a token as it is stored.
 */
import * as Scope from "@holdfast/core/access/Scope"
import type { Detail } from "@holdfast/core/events/Event"
import * as Schema from "effect/Schema"
import * as Row from "../Row.ts"

const isScope = Schema.is(Scope.Scope)

/** Reads the column `scope` of `api_key`. */
export const read = (row: Row.Row): Scope.Scope | null =>
  Row.orNull((row, column) => Row.json(isScope, row, column), row, "scope")

/** Returns the scope as a fact of an event. */
export const toDetail = (scope: Scope.Scope | null): Detail => {
  if (scope === null) return {}
  const { bucketIds = null, pathPrefix = null, permissions = null } = scope
  return { scope: { bucketIds, pathPrefix, permissions } }
}

export const encode = (scope: Scope.Scope | null): string | null => (scope === null ? null : JSON.stringify(scope))

/** Returns the hash under which a token with a scope is stored. See `storedHash`. */
export const limitedHash = (hash: string): string => `limited:${hash}`

/**
 * Returns the hash under which a token is stored. Nodes of a former version ignore the scope. They must not find the token: they
 * would give it all permissions of its member.
 */
export const storedHash = (hash: string, scope: Scope.Scope | null): string =>
  scope === null ? hash : limitedHash(hash)
