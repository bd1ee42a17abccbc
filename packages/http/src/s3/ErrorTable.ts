/**
 * The table from the codes of the HTTP API's errors to those of the S3 API.
 */
import { RateLimited } from "@holdfast/core/rates/Rates"
import * as Predicate from "effect/Predicate"
import * as RateLimitHeaders from "../auth/RateLimitHeaders.ts"
import { isCode, type ProblemCode } from "../problems/ProblemTable.ts"
import { type S3Code, S3Error, table } from "./S3Error.ts"

const codes: Readonly<Record<ProblemCode, S3Code>> = {
  invalid_request: "InvalidArgument",
  invalid_cursor: "InvalidArgument",
  ambiguous_key: "InvalidRequest",
  checksum_mismatch: "BadDigest",
  length_mismatch: "IncompleteBody",
  unauthenticated: "InvalidAccessKeyId",
  forbidden: "AccessDenied",
  origin_not_allowed: "AccessDenied",
  quota_exceeded: "QuotaExceeded",
  share_password_required: "AccessDenied",
  not_found: "NoSuchKey",
  content_not_uploaded: "NoSuchKey",
  stream_not_converted: "NoSuchKey",
  method_not_allowed: "MethodNotAllowed",
  not_acceptable: "InvalidRequest",
  request_timeout: "RequestTimeout",
  file_exists: "PreconditionFailed",
  alias_taken: "OperationAborted",
  subdomain_taken: "OperationAborted",
  member_exists: "OperationAborted",
  bucket_exists: "BucketAlreadyOwnedByYou",
  bucket_not_empty: "BucketNotEmpty",
  tenant_not_empty: "OperationAborted",
  created_resources_remain: "OperationAborted",
  last_admin: "OperationAborted",
  webhook_disabled: "OperationAborted",
  mirror_loop: "OperationAborted",
  upload_superseded: "OperationAborted",
  offset_mismatch: "InvalidRequest",
  upload_incomplete: "InvalidRequest",
  share_exhausted: "AccessDenied",
  tus_version_unsupported: "InvalidRequest",
  precondition_failed: "PreconditionFailed",
  content_too_large: "EntityTooLarge",
  unsupported_media_type: "InvalidRequest",
  range_not_satisfiable: "InvalidRange",
  change_refused: "UnprocessableEntity",
  not_a_video: "InvalidRequest",
  content_encrypted: "InvalidRequest",
  conversion_failed: "InvalidRequest",
  mirror_target_unreachable: "InvalidRequest",
  mirror_type_unavailable: "InvalidRequest",
  webhooks_unavailable: "InvalidRequest",
  rate_limited: "SlowDown",
  too_many_passwords: "SlowDown",
  too_many_conversions: "SlowDown",
  internal: "InternalError",
  content_damaged: "InternalError",
  unavailable: "ServiceUnavailable",
  hook_failed: "ServiceUnavailable",
  transcoder_unavailable: "ServiceUnavailable",
  storage_full: "ServiceUnavailable"
}

/** The codes of resources that do not exist. */
const missing: Readonly<Record<string, S3Code>> = {
  bucket: "NoSuchBucket",
  tenant: "NoSuchBucket",
  upload: "NoSuchUpload"
}

/** Returns the error of the S3 API for an error of core or of a transfer; undefined for any other value. */
export const translate = (error: unknown): S3Error | undefined => {
  if (error instanceof S3Error) return error
  if (error instanceof RateLimited) {
    return new S3Error({ code: "SlowDown", message: error.message, headers: RateLimitHeaders.ofRefusal(error) })
  }
  if (!Predicate.hasProperty(error, "code") || !isCode(error.code)) return undefined
  const resource = Predicate.hasProperty(error, "resource") ? String(error.resource) : ""
  const code = error.code === "not_found" ? (missing[resource] ?? codes.not_found) : codes[error.code]
  const text = Predicate.hasProperty(error, "message") ? String(error.message) : ""
  return S3Error.of(code, code === "InternalError" || text === "" ? table[code].message : text)
}
