/**
 * The table of all problems: code, HTTP status and title. Nothing else maps a code to a status.
 */

interface Entry {
  readonly status: number
  /** The same for every occurrence (RFC 9457, section 3.1.3). */
  readonly title: string
  /** The member that this problem has in addition to the members of every problem. */
  readonly extension?: "errors" | "existingId" | "permission" | "reason" | "created" | "quota" | "limit"
}

export const table = {
  invalid_request: { status: 400, title: "The request is not valid", extension: "errors" },
  invalid_cursor: { status: 400, title: "The cursor is not valid" },
  ambiguous_key: { status: 400, title: "The request has two different API keys" },
  checksum_mismatch: { status: 400, title: "The content does not match the declared checksum" },
  length_mismatch: { status: 400, title: "The content does not have the declared length" },
  unauthenticated: { status: 401, title: "A valid API key is required" },
  forbidden: { status: 403, title: "Permission denied", extension: "permission" },
  origin_not_allowed: { status: 403, title: "The key may not be used from this origin" },
  quota_exceeded: { status: 403, title: "A limit is reached", extension: "quota" },
  share_password_required: { status: 403, title: "The share needs its password" },
  not_found: { status: 404, title: "Not found" },
  content_not_uploaded: { status: 404, title: "The file has no content" },
  stream_not_converted: { status: 404, title: "The file has no conversion to this format" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  not_acceptable: { status: 406, title: "Not acceptable" },
  request_timeout: { status: 408, title: "The request took too long" },
  file_exists: { status: 409, title: "The file exists", extension: "existingId" },
  alias_taken: { status: 409, title: "The alias is taken", extension: "existingId" },
  subdomain_taken: { status: 409, title: "The subdomain is taken" },
  member_exists: { status: 409, title: "The member exists", extension: "existingId" },
  bucket_exists: { status: 409, title: "The bucket exists", extension: "existingId" },
  bucket_not_empty: { status: 409, title: "The bucket is not empty" },
  tenant_not_empty: { status: 409, title: "The tenant is not empty" },
  created_resources_remain: {
    status: 409,
    title: "Tokens, mirrors or shares of the member remain",
    extension: "created"
  },
  last_admin: { status: 409, title: "The tenant must keep an Admin" },
  webhook_disabled: { status: 409, title: "The webhook is disabled" },
  mirror_loop: { status: 409, title: "The mirror would copy files back to its source" },
  upload_superseded: { status: 409, title: "Another request has continued the upload" },
  offset_mismatch: { status: 409, title: "The upload ends at another offset" },
  upload_incomplete: { status: 409, title: "The upload lacks bytes" },
  share_exhausted: { status: 410, title: "The share is used up", extension: "limit" },
  precondition_failed: { status: 412, title: "Precondition failed" },
  tus_version_unsupported: { status: 412, title: "This version of tus is not supported" },
  content_too_large: { status: 413, title: "Content too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  range_not_satisfiable: { status: 416, title: "Range not satisfiable" },
  change_refused: { status: 422, title: "The application refuses the change" },
  not_a_video: { status: 422, title: "The content is neither video nor audio" },
  content_encrypted: { status: 422, title: "The content is encrypted" },
  conversion_failed: { status: 422, title: "The conversion failed" },
  mirror_target_unreachable: { status: 422, title: "The target cannot be used", extension: "reason" },
  mirror_type_unavailable: { status: 422, title: "Mirrors of this type are not available" },
  webhooks_unavailable: { status: 422, title: "Webhooks are not available" },
  rate_limited: { status: 429, title: "Too many requests" },
  too_many_passwords: { status: 429, title: "Too many wrong passwords" },
  too_many_conversions: { status: 429, title: "Too many pending conversions" },
  internal: { status: 500, title: "Internal error" },
  content_damaged: { status: 500, title: "The stored content is damaged" },
  unavailable: { status: 503, title: "Temporarily unavailable" },
  hook_failed: { status: 503, title: "A hook of the application has failed" },
  transcoder_unavailable: { status: 503, title: "Video conversion is not available" },
  storage_full: { status: 507, title: "Storage full" }
} as const satisfies { readonly [code: string]: Entry }

export type ProblemCode = keyof typeof table

export const codes = Object.keys(table) as ReadonlyArray<ProblemCode>

export const isCode = (code: unknown): code is ProblemCode => typeof code === "string" && Object.hasOwn(table, code)

/** Returns the table entry of a code. */
export const entryOf = (code: ProblemCode): Entry => table[code]
