/**
 * The columns of `bucket` with the rules of its contents.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { UpdateBucket } from "@holdfast/core/buckets/Bucket"
import type { ContentRules } from "@holdfast/core/buckets/ContentRules"
import * as Row from "../Row.ts"

export const names = "max_file_bytes, allowed_types"

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

export const read: Row.FromRow<ContentRules> = (row) => ({
  maxFileBytes: Row.orNull(Row.int, row, "max_file_bytes"),
  allowedTypes: Row.orNull((row, column) => Row.json(isTexts, row, column), row, "allowed_types")
})

export const encodeTypes = (types: ContentRules["allowedTypes"]): string | null =>
  types === null ? null : JSON.stringify(types)

/** Returns the values of the columns that a change sets. */
export const changed = ({ allowedTypes, maxFileBytes }: UpdateBucket) => ({
  ...(maxFileBytes === undefined ? undefined : { max_file_bytes: maxFileBytes }),
  ...(allowedTypes === undefined ? undefined : { allowed_types: encodeTypes(allowedTypes) })
})

/** Returns the columns for the `RETURNING` of a statement that writes another table. */
export const ofBucket = (sql: SqlClient, bucketId: string): Fragment =>
  sql`(SELECT max_file_bytes FROM bucket WHERE id = ${bucketId}) AS max_file_bytes,
    (SELECT allowed_types FROM bucket WHERE id = ${bucketId}) AS allowed_types`
