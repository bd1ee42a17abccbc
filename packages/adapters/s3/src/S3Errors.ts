/**
 * From the SDK's errors to the port's.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as ConnectionFailure from "@holdfast/outbound/ConnectionFailure"
import * as Effect from "effect/Effect"

/** What the service says, in the error's name, where its status alone would mislead. */
const reasons: ReadonlyMap<string, BlobError.Reason> = new Map([
  ["NoSuchKey", "NotFound"],
  ["NotFound", "NotFound"],
  // Also a 404, but no blob is missing: the configuration is wrong.
  ["NoSuchBucket", "Internal"],
  // The upload was swept, or a repeated request found it complete: the whole content may be put again.
  ["NoSuchUpload", "Unavailable"],
  ["QuotaExceeded", "StorageFull"],
  ["InsufficientStorage", "StorageFull"],
  ["InsufficientCapacity", "StorageFull"],
  ["StorageFull", "StorageFull"],
  ["XMinioStorageFull", "StorageFull"],
  ["EntityTooLarge", "StorageFull"],
  ["SlowDown", "Unavailable"],
  ["ServiceUnavailable", "Unavailable"],
  ["InternalError", "Unavailable"],
  ["RequestTimeout", "Unavailable"],
  ["OperationAborted", "Unavailable"],
  // The bytes were damaged on their way.
  ["BadDigest", "Unavailable"],
  ["IncompleteBody", "Unavailable"],
  // Of the SDK: a connection did not open, or nothing moved over it.
  ["TimeoutError", "Unavailable"]
])

const statuses: ReadonlyMap<number, BlobError.Reason> = new Map([
  [404, "NotFound"],
  [408, "Unavailable"],
  [429, "Unavailable"],
  [500, "Unavailable"],
  [502, "Unavailable"],
  [503, "Unavailable"],
  [504, "Unavailable"],
  [507, "StorageFull"]
])

export const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** The status that the service answered with, if it did. */
export const statusOf = (cause: unknown): number | undefined => {
  const status = property(property(cause, "$metadata"), "httpStatusCode")
  return typeof status === "number" ? status : undefined
}

/** Whether a connection failed, by the code of its error. */
export const isNetwork = (cause: unknown): boolean => ConnectionFailure.isCode(property(cause, "code"))

const reasonOf = (cause: unknown): BlobError.Reason => {
  const named = reasons.get(String(property(cause, "name")))
  if (named !== undefined) return named
  const told = statuses.get(statusOf(cause) ?? 0)
  if (told !== undefined) return told
  return isNetwork(cause) ? "Unavailable" : "Internal"
}

/** The error of a port's method for whatever the SDK, or a body of its, threw. */
export const fromSdk =
  (operation: string) =>
  (cause: unknown): BlobError.BlobError =>
    new BlobError.BlobError({ reason: reasonOf(cause), operation, cause })

/** The service answered, but not as the protocol has it. */
export const unexpected = (operation: string, message: string): BlobError.BlobError =>
  new BlobError.BlobError({ reason: "Internal", operation, cause: new Error(message) })

/** A content has more bytes than the service takes in one object. */
export const tooLarge = (operation: string, message: string): BlobError.BlobError =>
  new BlobError.BlobError({ reason: "StorageFull", operation, cause: new Error(message) })

/** Tidying up after an outcome that stands already failed: that is logged, not told. */
export const untidy = (error: BlobError.BlobError): Effect.Effect<void> =>
  Effect.logWarning("The blob store could not tidy up.", error.cause)

/** The caller broke the port's promise that a key is a `BlobKey`. */
export const invalidKey = (operation: string): BlobError.BlobError => unexpected(operation, "not a blob key")
