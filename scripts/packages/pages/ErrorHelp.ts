/**
 * What docs/errors.md says about each code of the problem table, beside what the table and the contract say. A new code needs an
 * entry here.
 */
import type { ProblemCode } from "../../../packages/http/src/problems/ProblemTable.ts"

interface Help {
  /** When the service answers with this code. */
  readonly meaning: string
  /** What the caller or the operator does about it. */
  readonly remedy: string
}

export const help: { readonly [Code in ProblemCode]: Help } = {
  invalid_request: {
    meaning:
      "A field, a parameter, a header or the path does not have the required form, or a field is not known where another one limits a right. Nothing was changed.",
    remedy: "Correct what `errors` lists: `pointer` is the place (a JSON Pointer), `detail` what is wrong there."
  },
  invalid_cursor: {
    meaning: "`cursor` was not issued by this service, or belongs to another list.",
    remedy: "Pass the `nextCursor` of the previous page with otherwise the same parameters, or begin without a cursor."
  },
  ambiguous_key: {
    meaning: "The request has two different keys, for example one in `apiKey` and one in `X-Api-Key`.",
    remedy: "Send one key, in one place. A proxy or a browser extension may add an `Authorization` header."
  },
  checksum_mismatch: {
    meaning: "The bytes that arrived do not have the digest in `Repr-Digest` or `Content-Digest`. Nothing was stored.",
    remedy: "Retry. If it fails again, compute the digest over exactly the bytes that you send, before any encoding."
  },
  length_mismatch: {
    meaning:
      "The body ended before, or continued after, the length in `Content-Length`, or the connection ended. Nothing was stored.",
    remedy: "Retry. If it fails again, look for a timeout of a proxy, and for a client that sends while a file changes."
  },
  unauthenticated: {
    meaning: "The key is missing, malformed, unknown, expired or revoked. The answer is the same for all of them.",
    remedy:
      "Send a valid key as `Authorization: Bearer hf_…` or `X-Api-Key: hf_…`. Check that a proxy passes these headers on. For links and playback keys also check the [clock](troubleshooting.md#a-link-or-key-expires-too-early-or-is-not-valid-yet)."
  },
  forbidden: {
    meaning:
      "The key is valid, but its role or scope does not permit the operation there. The answer is the same whether the tenant exists or not.",
    remedy:
      "Use a key whose role has the permission that `detail` and `permission` name, or have an Admin change role or scope. Without `permission`, no role permits the operation to this kind of key, and `detail` says what does. For a link or a share, ask its creator for another one."
  },
  origin_not_allowed: {
    meaning: "The token has `allowedOrigins`, and the request is of another origin, or does not state one.",
    remedy: "Add the origin of the page to `allowedOrigins` of a new token, or call from your server with another key."
  },
  quota_exceeded: {
    meaning: "A limit of the tenant or of the bucket would be exceeded: `quota` says which. Nothing was changed.",
    remedy: "Remove what is not needed, or have the operator raise the [limit](limits.md#quotas)."
  },
  share_password_required: {
    meaning: "The share has a password, and the request presents only its token, or a wrong password.",
    remedy: "Open the page of the share (`url` of the answer that created it), and enter the password there."
  },
  not_found: {
    meaning: "The path, or the record that it names, does not exist, or belongs to another tenant or bucket.",
    remedy: "Check every id of the path, and the base path that a proxy adds or removes."
  },
  content_not_uploaded: {
    meaning: "The file was reserved, and its content has not been uploaded yet.",
    remedy: "Upload the content with `contents.reupload`."
  },
  stream_not_converted: {
    meaning: "No conversion of the current content was requested. A new content has none.",
    remedy: "Request it first, with `streams.requestHls` or `streams.requestDash`."
  },
  method_not_allowed: {
    meaning: "The path exists, but not with this method.",
    remedy: "Use one of the methods in the header `Allow`."
  },
  not_acceptable: {
    meaning: "The answer is JSON, which the header `Accept` of the request excludes.",
    remedy: "Send `Accept: application/json`, or no such header."
  },
  request_timeout: {
    meaning: "No bytes of the body arrived for too long, or too few per second. Nothing was stored.",
    remedy:
      "Retry on a better connection. The operator can change the limits of slow uploads (`HOLDFAST_IDLE_TIMEOUT`, `HOLDFAST_MIN_RATE`), and check whether a proxy holds bodies back."
  },
  file_exists: {
    meaning: "The bucket has a file with this path and name. `existingId` is its id.",
    remedy:
      "Choose another name, replace its content with `contents.reupload`, or upload with [`onConflict`](links.md#conflicts)."
  },
  alias_taken: {
    meaning: "Another file of the bucket has this alias. `existingId` is its id.",
    remedy: "Choose another alias, or remove it from the other file first."
  },
  subdomain_taken: {
    meaning: "Another tenant of the deployment has this subdomain.",
    remedy: "Choose another subdomain."
  },
  member_exists: {
    meaning: "The account is a member of the tenant already. `existingId` is the member's id.",
    remedy: "Change the role of that member instead."
  },
  bucket_exists: {
    meaning: "The tenant has a bucket with this name. `existingId` is its id.",
    remedy: "Use that bucket, or choose another name."
  },
  bucket_not_empty: {
    meaning: "The bucket still has files.",
    remedy: "Remove them first, or remove the bucket with `force=true`, which deletes them all."
  },
  tenant_not_empty: {
    meaning: "The tenant still has buckets.",
    remedy: "Remove them first, or remove the tenant with `force=true`, which deletes everything in it."
  },
  created_resources_remain: {
    meaning:
      "The member has created tokens, mirrors or shares that others may depend on. `created` counts and lists them.",
    remedy: "Repeat the request with `created=end`, which ends them, or `created=transfer`, which makes them yours."
  },
  last_admin: {
    meaning: "Without this member, the tenant would have no Admin who has accepted the invitation.",
    remedy: "Make another member Admin first."
  },
  upload_superseded: {
    meaning:
      "Another request has continued the upload since this one began: the bytes of this request may be incomplete.",
    remedy: "Ask for the offset of the upload (`HEAD`), and continue there."
  },
  offset_mismatch: {
    meaning: "The request does not continue where the upload ends. `detail` says where.",
    remedy: "Continue at that offset. If you have sent nothing else, another client continues the same upload."
  },
  upload_incomplete: {
    meaning: "The upload does not have all bytes of its declared length.",
    remedy: "Upload the others, then complete it."
  },
  share_exhausted: {
    meaning:
      "The share was downloaded as often, or got as many files or bytes, as it permits; `limit` names the limit. Unfinished uploads count too.",
    remedy: "Raise `maxDownloads`, `maxFiles` or `maxBytes` of the share, or create another one."
  },
  webhook_disabled: {
    meaning: "The webhook is `DISABLED`, by an Admin or because its receiver failed for too long.",
    remedy: "Set its `state` to `ACTIVE`, then test it again."
  },
  mirror_loop: {
    meaning: "Mirrors lead from the target bucket back to this bucket, so that files would be copied in circles.",
    remedy: "Choose another target, or remove the mirror in the other direction."
  },
  precondition_failed: {
    meaning: "`If-Match` or `If-None-Match` does not hold: the content has changed since you read its entity tag.",
    remedy: "Read the record again, decide about the new content, and repeat with its entity tag."
  },
  tus_version_unsupported: {
    meaning: "`Tus-Resumable` names a version of tus other than 1.0.0.",
    remedy: "Send `Tus-Resumable: 1.0.0`; `OPTIONS` returns the versions and extensions."
  },
  content_too_large: {
    meaning:
      "The content is larger than the deployment, the bucket or the upload link permits, or a JSON body is larger than the operation permits.",
    remedy:
      "Send less, or raise `maxFileBytes` of the bucket, `maxBytes` of the link or `HOLDFAST_MAX_UPLOAD_BYTES`. A `413` without this code is [of a proxy](troubleshooting.md#uploads-answer-413)."
  },
  unsupported_media_type: {
    meaning: "`Content-Type` is none that the operation accepts, or none of the allowed types of the bucket or link.",
    remedy: "Send the type that `detail` names: forms to the upload, bytes to a reupload, JSON elsewhere."
  },
  range_not_satisfiable: {
    meaning: "The content ends before the first byte of every range. `Content-Range` has its length.",
    remedy: "Request a range within that length. A client that resumes a download has all bytes already."
  },
  change_refused: {
    meaning:
      "A [hook](hooks.md) of the application refuses the content or the removal; `detail` has its reason. Nothing was changed.",
    remedy: "Change what the reason names. The same request is refused again."
  },
  not_a_video: {
    meaning: "The content has neither a video nor an audio track that ffmpeg recognises.",
    remedy: "Upload a video or audio file."
  },
  content_encrypted: {
    meaning: "The content is protected (DRM) and cannot be converted.",
    remedy: "Upload a content without protection."
  },
  conversion_failed: {
    meaning: "The last conversion to this format failed. `detail` has the reason.",
    remedy: 'Upload a corrected source, or request the conversion again, perhaps with `{ "mode": "transcode" }`.'
  },
  mirror_target_unreachable: {
    meaning: "The check of the target failed: `reason` and `detail` say why.",
    remedy: "Correct address, region, bucket, key or its rights. `verify=false` stores the mirror without the check."
  },
  mirror_type_unavailable: {
    meaning: "The deployment has no adapter for this type, or no secret key for credentials.",
    remedy:
      "Set `HOLDFAST_SECRET_KEY` of the service. In the library, set [`secretKey`](options.md#the-secret-key) of `open`, and pass the adapter that `detail` names: [`mirrors: [s3Mirrors()]`](mirrors.md#create-a-mirror)."
  },
  webhooks_unavailable: {
    meaning: "The deployment has no secret key to encrypt the secrets of webhooks with, or no process that sends them.",
    remedy:
      "Set `HOLDFAST_SECRET_KEY` of the service. In the library, set [`webhooks` and `secretKey`](webhooks.md#in-the-library) of `open`."
  },
  rate_limited: {
    meaning: "The key, the tenant or the client address has made too many requests.",
    remedy: "Wait for as many seconds as `Retry-After` says. See [rates](limits.md#rates) for the settings."
  },
  too_many_passwords: {
    meaning: "Ten wrong passwords were tried for this share within a quarter of an hour.",
    remedy: "Wait for a quarter of an hour, or change the password, which permits attempts at once."
  },
  too_many_conversions: {
    meaning: "The tenant has as many waiting and running conversions as it may have.",
    remedy: "Retry after some have ended, or have the operator raise `HOLDFAST_QUOTA_CONVERSIONS`."
  },
  internal: {
    meaning: "An error that the service does not expect. Its cause is in the log only.",
    remedy: "Look for `requestId` in the log of the service, and report the error with that entry."
  },
  content_damaged: {
    meaning: "The stored bytes are missing or not those of the upload. The service never sends them.",
    remedy:
      "Upload the content again, or [restore it](operating.md) from a backup or a mirror with `holdfast scrub` and `holdfast restore`."
  },
  unavailable: {
    meaning:
      "The database, the store or a part of the service does not answer now, the service is at a limit of connections, or a segment is not converted yet.",
    remedy:
      "Retry after `Retry-After` seconds. If it continues, `/health/ready` [names the part](troubleshooting.md#answers-are-503)."
  },
  hook_failed: {
    meaning:
      "A [hook](hooks.md) of the application has failed or taken too long, for example because a virus scanner does not answer. Nothing was changed.",
    remedy: "Retry later. The operator finds the cause in the log, under the `requestId` of the answer."
  },
  transcoder_unavailable: {
    meaning: "The service has no ffmpeg, or conversion is switched off.",
    remedy: "[Install ffmpeg](troubleshooting.md#conversions-answer-503-transcoder_unavailable) or set its path."
  },
  storage_full: {
    meaning: "The disk or the object store has no room beyond the reserve. Reading and deleting still work.",
    remedy: "[Free or add space](troubleshooting.md#uploads-answer-507-storage_full)."
  }
}
