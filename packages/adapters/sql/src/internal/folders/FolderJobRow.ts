/**
 * Reads the rows of folder jobs.
 */
import * as OnConflict from "@holdfast/core/files/moves/MoveFile"
import { type FolderJob, FolderJobKind, FolderJobState } from "@holdfast/core/folders/FolderJob"
import type { FolderJobClaim } from "@holdfast/core/folders/FolderRepository"
import { ActorKind } from "@holdfast/core/events/Event"
import * as Row from "../Row.ts"

export const columns = "id, kind, path, to_path, state, files, error_code, error_detail, created_at, updated_at"

const readKind = (row: Row.Row) => Row.oneOf(FolderJobKind.literals, row, "kind")

export const toJob: Row.FromRow<FolderJob> = (row) => ({
  id: Row.text(row, "id"),
  kind: readKind(row),
  path: Row.text(row, "path"),
  to: Row.orNull(Row.text, row, "to_path"),
  state: Row.oneOf(FolderJobState.literals, row, "state"),
  files: Row.int(row, "files"),
  error: row.error_code === null ? null : { code: Row.text(row, "error_code"), detail: Row.text(row, "error_detail") },
  createdAt: Row.instant(row, "created_at"),
  updatedAt: Row.instant(row, "updated_at")
})

export const claimColumns = "id, tenant_id, bucket_id, kind, path, to_path, lease, actor, account_id, token_id"

/** Reads which folder a job moves or removes. */
const toFolder = (row: Row.Row) => ({
  bucket: { tenantId: Row.text(row, "tenant_id"), bucketId: Row.text(row, "bucket_id") },
  kind: readKind(row),
  path: Row.text(row, "path"),
  to: Row.orNull(Row.text, row, "to_path")
})

export const toClaim: Row.FromRow<FolderJobClaim> = (row) => ({
  id: Row.text(row, "id"),
  ...toFolder(row),
  lease: Row.text(row, "lease"),
  author: {
    kind: Row.oneOf(ActorKind.literals, row, "actor"),
    accountId: Row.orNull(Row.text, row, "account_id"),
    tokenId: Row.orNull(Row.text, row, "token_id")
  }
})

/** Reads what a step needs to know of a job. */
export const toProgress = (row: Row.Row) => ({
  ...toFolder(row),
  onConflict: Row.oneOf(OnConflict.OnConflict.literals, row, "on_conflict"),
  after: { path: Row.text(row, "at_path"), name: Row.text(row, "at_name") },
  createdAt: Row.int(row, "created_at")
})
