/**
 * Rows of shares.
 */
import { ShareAction, type StoredShare } from "@holdfast/core/files/shares/Share"
import * as Schema from "effect/Schema"
import * as Creators from "../members/Creators.ts"
import * as Row from "../Row.ts"

/** The columns that `toShare` reads. */
export const columns = `share.id, share.tenant_id, share.bucket_id, share.name, share.file_id, share.path, share.may,
  share.expires_at, share.password, share.password_version, share.max_downloads, share.downloads, share.max_files, share.max_bytes,
  share.uploaded_files, share.uploaded_bytes, share.created_by, share.created_with, share.created_at, share.updated_at`

const isActions = Schema.is(Schema.Array(ShareAction))

/** Reads what a share permits. */
export const readActions: Row.FromRow<ReadonlyArray<ShareAction>> = (row) => Row.json(isActions, row, "may")

export const toShare: Row.FromRow<StoredShare> = (row) => ({
  id: Row.text(row, "id"),
  tenantId: Row.text(row, "tenant_id"),
  bucketId: Row.text(row, "bucket_id"),
  name: Row.text(row, "name"),
  fileId: Row.orNull(Row.text, row, "file_id"),
  path: Row.orNull(Row.text, row, "path"),
  may: readActions(row),
  expiresAt: Row.orNull(Row.instant, row, "expires_at"),
  password: Row.orNull(Row.text, row, "password"),
  passwordVersion: Row.int(row, "password_version"),
  maxDownloads: Row.orNull(Row.int, row, "max_downloads"),
  downloads: Row.int(row, "downloads"),
  maxFiles: Row.orNull(Row.int, row, "max_files"),
  maxBytes: Row.orNull(Row.int, row, "max_bytes"),
  uploadedFiles: Row.int(row, "uploaded_files"),
  uploadedBytes: Row.int(row, "uploaded_bytes"),
  createdBy: Creators.read(row),
  createdAt: Row.instant(row, "created_at"),
  updatedAt: Row.instant(row, "updated_at")
})
