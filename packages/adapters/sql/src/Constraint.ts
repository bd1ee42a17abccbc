/**
 * Which constraint refused a statement. PostgreSQL names the index, SQLite the columns.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { isSqlError } from "effect/sql/SqlError"

export interface Unique {
  readonly index: string
  readonly columns: string
}

const unique = (table: string, index: string, columns: ReadonlyArray<string>): Unique => ({
  index,
  columns: columns.map((column) => `${table}.${column}`).join(", ")
})

export const accountEmail = unique("account", "account_email", ["email_key"])
export const bucketName = unique("bucket", "bucket_name", ["tenant_id", "name"])
export const fileAlias = unique("file", "file_alias", ["bucket_id", "alias"])
export const filePlace = unique("file", "file_place", ["bucket_id", "path", "name"])
export const memberAccount = unique("member", "member_account", ["tenant_id", "account_id"])
export const tenantSubdomain = unique("tenant", "tenant_subdomain", ["subdomain"])

/** Whether an error is the violation of this unique index. */
export const violates =
  (index: Unique) =>
  (error: unknown): boolean =>
    isSqlError(error) &&
    error.reason._tag === "UniqueViolation" &&
    (error.reason.constraint === index.index || error.reason.constraint === index.columns)

const foreignKeyCodes: ReadonlySet<unknown> = new Set(["23503", 787])

/** Whether an error is a reference to a row that is not there. */
export const isForeignKey = (error: unknown): boolean => {
  if (!isSqlError(error) || error.reason._tag !== "ConstraintError") return false
  const { cause } = error.reason
  return (
    (Predicate.hasProperty(cause, "code") && foreignKeyCodes.has(cause.code)) ||
    (Predicate.hasProperty(cause, "errno") && foreignKeyCodes.has(cause.errno))
  )
}

/** Tells a refused statement by an error of the domain. */
export const orElseFail =
  <E2>(refused: (error: unknown) => boolean, error: () => E2) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.mapError(self, (failure) => (refused(failure) ? error() : failure))
