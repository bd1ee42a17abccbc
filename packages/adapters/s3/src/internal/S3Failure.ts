/**
 * Why a request failed: one classification for blob stores and mirror targets. `S3Errors` maps it to the errors of the
 * two ports.
 */
import * as RemoteFailure from "@holdfast/core/storage/RemoteFailure"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as ConnectionFailure from "@holdfast/outbound/ConnectionFailure"
import { property } from "@holdfast/outbound/Property"
import * as ResponseFault from "@holdfast/outbound/ResponseFault"
import * as Data from "effect/Data"

/**
 * - `ClockSkew`: the service's clock differs from this machine's.
 * - `Loop`: the service is a Holdfast, and the object came from its bucket.
 */
export type Kind = RemoteFailure.Kind | "ClockSkew" | "Loop"

/** A request failed, or its response does not follow the protocol. */
export class S3Failure extends Data.TaggedError("S3Failure")<{
  readonly kind: Kind
  /** The service's error code, or the name of the SDK's error. Undefined for a failure that this package found. */
  readonly code: string | undefined
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined
  /** The service's own message, or a sentence of this package. */
  readonly message: string
  /** The SDK's error. It holds the request with its signature, so it must not reach the users of mirrors. */
  readonly cause: unknown
}> {}

/** Error codes whose status alone would be misleading. */
const codes: ReadonlyMap<string, Kind> = new Map([
  ["NoSuchKey", "NoObject"],
  ["NotFound", "NoObject"],
  // Also a 404, but no object is missing.
  ["NoSuchBucket", "NoBucket"],
  // The bucket is in another region, or in none.
  ["PermanentRedirect", "NoBucket"],
  ["IllegalLocationConstraintException", "NoBucket"],
  ["InvalidBucketName", "NoBucket"],
  ["AuthorizationHeaderMalformed", "Denied"],
  ["InvalidAccessKeyId", "Denied"],
  ["ExpiredToken", "Denied"],
  ["InvalidToken", "Denied"],
  ["RequestTimeTooSkewed", "ClockSkew"],
  ["QuotaExceeded", "Full"],
  ["InsufficientStorage", "Full"],
  ["InsufficientCapacity", "Full"],
  ["StorageFull", "Full"],
  ["XMinioStorageFull", "Full"],
  ["EntityTooLarge", "TooLarge"],
  ["KeyTooLongError", "Invalid"],
  ["InvalidObjectName", "Invalid"],
  ["InvalidURI", "Invalid"],
  ["MetadataTooLarge", "Invalid"],
  // The object was archived at the target, and cannot be copied.
  ["InvalidObjectState", "Invalid"],
  ["BadDigest", "Damaged"],
  ["XAmzContentSHA256Mismatch", "Damaged"],
  ["IncompleteBody", "Unavailable"],
  // The upload was swept, or a retried request found it complete. The whole content may be sent again.
  ["NoSuchUpload", "Unavailable"],
  ["OperationAborted", "Unavailable"],
  ["MirrorLoop", "Loop"],
  ["ConditionalRequestConflict", "Changed"],
  ["PreconditionFailed", "Changed"],
  ["RequestTimeout", "Unavailable"],
  ["SlowDown", "Unavailable"],
  ["ServiceUnavailable", "Unavailable"],
  ["InternalError", "Unavailable"],
  // Of the SDK: a connection did not open, or transferred nothing.
  ["TimeoutError", "Unavailable"]
])

const statuses: ReadonlyMap<number, Kind> = new Map([
  ...RemoteFailure.statuses,
  // As `PermanentRedirect`, without a body that names it.
  [301, "NoBucket"]
])

const statusOf = (cause: unknown): number | undefined => {
  const status = property(property(cause, "$metadata"), "httpStatusCode")
  return typeof status === "number" ? status : undefined
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const kindOf = (cause: unknown, code: string, status: number | undefined): Kind => {
  if (AddressRefused.isRefused(cause)) return "Refused"
  // Whatever the status says, no service of S3's protocol sent this.
  if (ResponseFault.find(cause) !== undefined) return "Internal"
  return (
    codes.get(code) ??
    statuses.get(status ?? 0) ??
    (ConnectionFailure.isCode(property(cause, "code")) ? "Unavailable" : "Internal")
  )
}

/** Classifies an error that the SDK, or the body of a response, threw. */
export const fromCause = (cause: unknown): S3Failure => {
  if (cause instanceof S3Failure) return cause
  const code = textOf(property(cause, "name"))
  const status = statusOf(cause)
  return new S3Failure({
    kind: kindOf(cause, code, status),
    code,
    status,
    message: textOf(property(cause, "message")),
    cause
  })
}

/** Returns whether an error is a failure of this package, and not one of the content. */
export const isFailure = (error: unknown): error is S3Failure => error instanceof S3Failure

/** Makes a failure that this package found. `message` is a sentence for users. */
export const make = (kind: Kind, message: string): S3Failure =>
  new S3Failure({ kind, code: undefined, status: undefined, message, cause: new Error(message) })

/** Makes the failure of a response that does not follow the protocol. */
export const unexpected = (message: string): S3Failure =>
  make("Internal", `The service answered unexpectedly: ${message}.`)

/** Makes the failures of the body of a response: of one that does not follow the protocol, was cut, or threw an error. */
export const bodyFailures = {
  unexpected,
  cut: (message: string): S3Failure => make("Unavailable", message),
  fromBody: fromCause
}
