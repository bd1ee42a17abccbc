/**
 * Reads the rows of files.
 */
import type * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Content, Metadata, StoredFile } from "@holdfast/core/files/File"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Selector } from "@holdfast/core/files/FileRef"
import { FileType } from "@holdfast/core/files/FileType"
import type { Header } from "@holdfast/core/files/Header"
import { openBucket } from "../buckets/OpenBucket.ts"
import * as Row from "../Row.ts"

/** Listed by name: a later migration that adds a column must not change the statements that running nodes have prepared. */
export const columns = `id, path, name, alias, version, metadata, headers, created_at, updated_at,
  blob_id, size, sha256, etag, content_type, type, stored_at, damaged_blob,
  composite_blob, checksum`

/** The column was written from a checked value, so that only the outermost type is checked again. */
const isMetadata = (value: unknown): value is Metadata => Predicate.isObject(value)

const isHeader = (value: unknown): value is Header =>
  Predicate.isObject(value) && typeof value.name === "string" && typeof value.value === "string"

const isHeaders = (value: unknown): value is ReadonlyArray<Header> => Array.isArray(value) && value.every(isHeader)

export const readHeaders = (row: Row.Row): ReadonlyArray<Header> =>
  row.headers === "[]" ? [] : Row.json(isHeaders, row, "headers")

/** Reads an instant. Most files have not changed since they were created, so that all their instants are one. */
const instantOr = (createdAt: DateTime.Utc, row: Row.Row, column: string): DateTime.Utc =>
  row[column] === row.created_at ? createdAt : Row.instant(row, column)

/** Returns the text of the column: with the blob, since a node of a former version replaces a content without changing the column. */
export const checksumText = ({ blobId, checksum }: Content): string | null =>
  checksum === undefined ? null : `${blobId} ${checksum}`

const readChecksum = (row: Row.Row, blobId: string): string | undefined => {
  const text = row.checksum === null ? "" : Row.text(row, "checksum")
  return text.startsWith(`${blobId} `) ? text.slice(blobId.length + 1) : undefined
}

/** The digest of a composite content is empty until it is computed. Nodes of a former version require a text. */
const readContent = (row: Row.Row, createdAt: DateTime.Utc): Content => {
  const blobId = Row.text(row, "blob_id")
  return {
    blobId,
    size: Row.int(row, "size"),
    sha256: row.sha256 === "" ? null : Row.text(row, "sha256"),
    isComposite: row.composite_blob === blobId ? true : undefined,
    etag: Row.text(row, "etag"),
    checksum: readChecksum(row, blobId),
    contentType: Row.text(row, "content_type"),
    type: Row.oneOf(FileType.literals, row, "type"),
    storedAt: instantOr(createdAt, row, "stored_at")
  }
}

export const toFile: Row.FromRow<StoredFile> = (row) => {
  const createdAt = Row.instant(row, "created_at")
  return {
    id: Row.text(row, "id"),
    name: Row.text(row, "name"),
    path: Row.text(row, "path"),
    alias: Row.orNull(Row.text, row, "alias"),
    version: Row.int(row, "version"),
    // Most files have none, as most have no headers: a page then parses no JSON.
    metadata: row.metadata === "{}" ? {} : Row.json(isMetadata, row, "metadata"),
    headers: readHeaders(row),
    createdAt,
    updatedAt: instantOr(createdAt, row, "updated_at"),
    content: row.blob_id === null ? null : readContent(row, createdAt),
    damaged: row.blob_id !== null && row.damaged_blob === row.blob_id
  }
}

/** Selects the rows of a bucket that exists for requests. */
export const inBucket = (sql: SqlClient, bucket: BucketRef): Fragment => sql`bucket_id = ${openBucket(sql, bucket)}`

/** Selects the rows of a bucket, also while it is being removed. */
export const ofBucket = (sql: SqlClient, { bucketId, tenantId }: BucketRef): Fragment =>
  sql`tenant_id = ${tenantId} AND bucket_id = ${bucketId}`

/**
 * As `inBucket`, for rows that the statement finds by a list of ids. SQLite, which has no statistics, would otherwise read the whole bucket
 * by an index of `bucket_id`; the sign keeps it from using one.
 */
export const checkedInBucket = (sql: SqlClient, bucket: BucketRef): Fragment =>
  sql.onDialectOrElse({ pg: () => inBucket(sql, bucket), orElse: () => sql`+${inBucket(sql, bucket)}` })

/** As `checkedInBucket`, also while the bucket is being removed. */
export const checkedOfBucket = (sql: SqlClient, { bucketId, tenantId }: BucketRef): Fragment =>
  sql.onDialectOrElse({
    pg: () => sql`tenant_id = ${tenantId} AND bucket_id = ${bucketId}`,
    orElse: () => sql`+tenant_id = ${tenantId} AND +bucket_id = ${bucketId}`
  })

/** Returns the first text after all paths below a folder: `0` is the character after `/`. */
export const afterFolder = (path: string): string => `${path.slice(0, -1)}0`

/** Selects the files of a folder and of those below it. */
export const inFolder = (sql: SqlClient, folder: string): Fragment =>
  sql`path >= ${folder} AND path < ${afterFolder(folder)}`

const ofSelector = (sql: SqlClient, selector: Selector): Fragment => {
  switch (selector._tag) {
    case "Id":
      return sql`id = ${selector.id}`
    case "Alias":
      return sql`alias = ${selector.alias}`
    case "Place":
      return sql`path = ${selector.place.path} AND name = ${selector.place.name}`
  }
}

/** Selects the file that a selector refers to. */
export const bySelector = (sql: SqlClient, bucket: BucketRef, selector: Selector): Fragment => {
  const { at, folder } = selector
  const found = sql`${ofSelector(sql, selector)} AND ${inBucket(sql, bucket)}`
  const placed = at === undefined ? found : sql`${found} AND path = ${at.path} AND name = ${at.name}`
  return folder === undefined ? placed : sql`${placed} AND ${inFolder(sql, folder)}`
}
