/**
 * Violations of constraints, and their mapping to errors of the domain.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { isSqlError, SerializationError, SqlError } from "effect/sql/SqlError"
import * as Row from "./Row.ts"
import type { RowFault } from "../SqlFailure.ts"

/** A unique index. PostgreSQL reports a violation by the index's name, SQLite by its columns. */
export interface Unique {
  readonly index: string
  readonly columns: string
}

const unique = (table: string, index: string, columns: ReadonlyArray<string>): Unique => ({
  index,
  columns: columns.map((column) => `${table}.${column}`).join(", ")
})

export const bucketName = unique("bucket", "bucket_name", ["tenant_id", "name"])
export const fileAlias = unique("file", "file_alias", ["bucket_id", "alias"])
export const filePlace = unique("file", "file_place", ["bucket_id", "path", "name"])
export const memberAccount = unique("member", "member_account", ["tenant_id", "account_id"])
export const tenantSubdomain = unique("tenant", "tenant_subdomain", ["subdomain"])

/** Whether an error is the violation of this unique index. */
export const isViolationOf =
  (index: Unique) =>
  (error: unknown): boolean =>
    isSqlError(error) &&
    error.reason._tag === "UniqueViolation" &&
    (error.reason.constraint === index.index || error.reason.constraint === index.columns)

/** The SQLSTATE of PostgreSQL, and SQLITE_CONSTRAINT_FOREIGNKEY. */
const foreignKeyCodes: ReadonlySet<unknown> = new Set(["23503", 787])

/** Whether an error is the violation of a foreign key: the row refers to a row that does not exist. */
export const isForeignKeyViolation = (error: unknown): boolean => {
  if (!isSqlError(error) || error.reason._tag !== "ConstraintError") return false
  const { cause } = error.reason
  return (
    (Predicate.hasProperty(cause, "code") && foreignKeyCodes.has(cause.code)) ||
    (Predicate.hasProperty(cause, "errno") && foreignKeyCodes.has(cause.errno))
  )
}

/** Replaces a violation by an error of the domain; other errors pass through. */
export const mapViolation =
  <E2>(isViolation: (error: unknown) => boolean, toError: () => E2) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.mapError(self, (failure) => (isViolation(failure) ? toError() : failure))

const readId = Row.first((row) => Row.text(row, "id"))

/** The existing row was removed again, twice: the statement lost against concurrent changes. */
const existingRowVanished = (cause: unknown): SqlError =>
  new SqlError({
    reason: new SerializationError({ cause, message: "The conflicting row was removed.", operation: "execute" })
  })

/**
 * Replaces the violation of a unique index by an error that has the id of the existing row. `findExisting` looks the row up
 * after the statement was rolled back. If the row is gone by then, runs the statement once more.
 */
export const mapUniqueViolation =
  <E1, E2>(conflict: {
    readonly index: Unique
    readonly findExisting: Effect.Effect<ReadonlyArray<Row.Row>, E1>
    readonly toError: (existingId: string) => E2
  }) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | E1 | E2 | SqlError | RowFault, R> => {
    type Attempt = Effect.Effect<A, E | E1 | E2 | SqlError | RowFault, R>
    const attempt = (whenVanished: (violation: E) => Attempt): Attempt =>
      Effect.catchIf(self, isViolationOf(conflict.index), (violation) =>
        Effect.flatMap(readId(conflict.findExisting), (existing) =>
          existing._tag === "Some" ? Effect.fail(conflict.toError(existing.value)) : whenVanished(violation)
        )
      )
    return attempt(() => attempt((violation) => Effect.fail(existingRowVanished(violation))))
  }
