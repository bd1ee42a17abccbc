/**
 * Reads the rows of files.
 */
import * as Predicate from "effect/Predicate"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Content, Metadata, StoredFile } from "@holdfast/core/files/File"
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { Selector } from "@holdfast/core/files/FileRef"
import { FileType } from "@holdfast/core/files/FileType"
import type { Header } from "@holdfast/core/files/Header"
import { openBucket } from "../buckets/OpenBucket.ts"
import type * as Row from "../Row.ts"
import * as Value from "../Value.ts"

const names = [
  "id",
  "path",
  "name",
  "alias",
  "version",
  "metadata",
  "headers",
  "created_at",
  "updated_at",
  "blob_id",
  "size",
  "sha256",
  "etag",
  "content_type",
  "type",
  "stored_at",
  "damaged_blob",
  "composite_blob",
  "checksum"
] as const

/** Listed by name: a later migration that adds a column must not change the statements that running nodes have prepared. */
export const columns = names.join(", ")

/** What most files have in these columns. */
const usual: Partial<Record<(typeof names)[number], string>> = {
  metadata: "'{}'",
  headers: "'[]'",
  updated_at: "created_at",
  stored_at: "created_at"
}

/** The same columns for `ofValues`, null where they have the usual value: it takes less time to read from a database than a text. */
export const listedColumns = names
  .map((name) => (usual[name] === undefined ? name : `NULLIF(${name}, ${usual[name]})`))
  .join(", ")

/** The column was written from a checked value, so that only the outermost type is checked again. */
const isMetadata = (value: unknown): value is Metadata => Predicate.isObject(value)

const isHeader = (value: unknown): value is Header =>
  Predicate.isObject(value) && typeof value.name === "string" && typeof value.value === "string"

const isHeaders = (value: unknown): value is ReadonlyArray<Header> => Array.isArray(value) && value.every(isHeader)

const toHeaders = (value: unknown): ReadonlyArray<Header> =>
  value === null || value === "[]" ? [] : Value.json(isHeaders, value, "headers")

export const readHeaders = (row: Row.Row): ReadonlyArray<Header> => toHeaders(row.headers)

/** Returns the text of the column: with the blob, since a node of a former version replaces a content without changing the column. */
export const checksumText = ({ blobId, checksum }: Content): string | null =>
  checksum === undefined ? null : `${blobId} ${checksum}`

const toChecksum = (value: unknown, blobId: string): string | undefined => {
  const text = value === null ? "" : Value.text(value, "checksum")
  return text.startsWith(`${blobId} `) ? text.slice(blobId.length + 1) : undefined
}

/**
 * Returns the file of a row that is an array of `columns` or `listedColumns`. A page reads a hundred of them, which as objects with
 * names took a tenth of its time.
 */
export const ofValues = ([
  id,
  path,
  name,
  alias,
  version,
  metadata,
  headers,
  created,
  updated,
  blob,
  size,
  sha256,
  etag,
  contentType,
  type,
  stored,
  damagedBlob,
  compositeBlob,
  checksum
]: ReadonlyArray<unknown>): StoredFile => {
  const createdAt = Value.instant(created, "created_at")
  /** Most files have not changed since they were created, so that all their instants are one. */
  const instant = (value: unknown, column: string) =>
    value === null || value === created ? createdAt : Value.instant(value, column)
  const blobId = Value.orNull(Value.text, blob, "blob_id")
  return {
    id: Value.text(id, "id"),
    name: Value.text(name, "name"),
    path: Value.text(path, "path"),
    alias: Value.orNull(Value.text, alias, "alias"),
    version: Value.int(version, "version"),
    // Most files have none, as most have no headers: a page then parses no JSON.
    metadata: metadata === null || metadata === "{}" ? {} : Value.json(isMetadata, metadata, "metadata"),
    headers: toHeaders(headers),
    createdAt,
    updatedAt: instant(updated, "updated_at"),
    content:
      blobId === null
        ? null
        : {
            blobId,
            size: Value.int(size, "size"),
            // Empty until the digest of a composite content is computed. Nodes of a former version require a text.
            sha256: sha256 === "" ? null : Value.text(sha256, "sha256"),
            isComposite: compositeBlob === blobId ? true : undefined,
            etag: Value.text(etag, "etag"),
            checksum: toChecksum(checksum, blobId),
            contentType: Value.text(contentType, "content_type"),
            type: Value.oneOf(FileType.literals, type, "type"),
            storedAt: instant(stored, "stored_at")
          },
    damaged: blobId !== null && damagedBlob === blobId
  }
}

/** Every view reads a row, and finds its columns much faster by their names in the text than by those in a list. */
export const toFile: Row.FromRow<StoredFile> = (row) =>
  ofValues([
    row.id,
    row.path,
    row.name,
    row.alias,
    row.version,
    row.metadata,
    row.headers,
    row.created_at,
    row.updated_at,
    row.blob_id,
    row.size,
    row.sha256,
    row.etag,
    row.content_type,
    row.type,
    row.stored_at,
    row.damaged_blob,
    row.composite_blob,
    row.checksum
  ])

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
