/**
 * Reads the rows of uploads in parts.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Schema from "effect/Schema"
import {
  type StoredUpload,
  UploadMode,
  type UploadPart,
  type UploadState,
  UploadTerms
} from "@holdfast/core/uploads/Upload"
import type { UploadRef } from "@holdfast/core/uploads/UploadRepository"
import { ofBucket } from "../files/FileRow.ts"
import * as Row from "../Row.ts"

export const columns = `upload.id, upload.tenant_id, upload.bucket_id, upload.blob_id, upload.mode, upload.terms, upload.length,
  upload.received, upload.state, upload.epoch, upload.revision, upload.answer, upload.replaced_file_id, upload.client, upload.created_at,
  upload.expires_at`

const states: ReadonlyArray<UploadState> = ["OPEN", "DONE", "DEAD"]

const isTerms = Schema.is(UploadTerms)

export const toUpload: Row.FromRow<StoredUpload> = (row) => ({
  id: Row.text(row, "id"),
  tenantId: Row.text(row, "tenant_id"),
  bucketId: Row.text(row, "bucket_id"),
  blobId: Row.text(row, "blob_id"),
  mode: Row.oneOf(UploadMode.literals, row, "mode"),
  terms: Row.json(isTerms, row, "terms"),
  length: Row.orNull(Row.int, row, "length"),
  received: Row.int(row, "received"),
  state: Row.oneOf(states, row, "state"),
  epoch: Row.int(row, "epoch"),
  revision: Row.int(row, "revision"),
  answer: Row.orNull(Row.text, row, "answer"),
  replacedFileId: Row.orNull(Row.text, row, "replaced_file_id"),
  client: Row.orNull(Row.text, row, "client"),
  createdAt: Row.instant(row, "created_at"),
  expiresAt: Row.instant(row, "expires_at")
})

export const toUploadPart: Row.FromRow<UploadPart> = (row) => ({
  number: Row.int(row, "number"),
  blobId: Row.text(row, "blob_id"),
  size: Row.int(row, "size"),
  sha256: Row.text(row, "sha256"),
  tag: Row.orNull(Row.text, row, "tag"),
  createdAt: Row.instant(row, "created_at")
})

/** Selects an upload. */
export const byRef = (sql: SqlClient, upload: UploadRef): Fragment =>
  sql`upload.id = ${upload.uploadId} AND ${ofBucket(sql, upload)}`
