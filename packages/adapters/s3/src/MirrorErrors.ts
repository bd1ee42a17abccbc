/**
 * From the SDK's errors to those of mirror targets. The SDK's own, which hold requests with their signatures, go no
 * further.
 */
import { type Reason, MirrorTargetError } from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as Effect from "effect/Effect"
import type * as Client from "./Client.ts"
import * as S3Errors from "./S3Errors.ts"

/** What the service says, in the error's name, where its status alone would mislead. */
const reasons: ReadonlyMap<string, Reason> = new Map([
  // The bucket is not where its region says, or nowhere.
  ["PermanentRedirect", "NotFound"],
  ["IllegalLocationConstraintException", "NotFound"],
  ["InvalidBucketName", "NotFound"],
  ["AuthorizationHeaderMalformed", "Denied"],
  ["InvalidAccessKeyId", "Denied"],
  ["ExpiredToken", "Denied"],
  ["InvalidToken", "Denied"],
  // The service's clock differs from ours.
  ["RequestTimeTooSkewed", "Unavailable"],
  ["QuotaExceeded", "Full"],
  ["InsufficientStorage", "Full"],
  ["InsufficientCapacity", "Full"],
  ["StorageFull", "Full"],
  ["XMinioStorageFull", "Full"],
  ["EntityTooLarge", "Invalid"],
  ["KeyTooLongError", "Invalid"],
  ["InvalidObjectName", "Invalid"],
  ["InvalidURI", "Invalid"],
  ["MetadataTooLarge", "Invalid"],
  // It was archived there, and cannot be copied.
  ["InvalidObjectState", "Invalid"],
  ["BadDigest", "Damaged"],
  ["XAmzContentSHA256Mismatch", "Damaged"],
  ["IncompleteBody", "Unavailable"],
  ["NoSuchUpload", "Unavailable"],
  ["OperationAborted", "Unavailable"],
  ["ConditionalRequestConflict", "Unavailable"],
  ["PreconditionFailed", "Unavailable"],
  ["RequestTimeout", "Unavailable"],
  ["SlowDown", "Unavailable"],
  // Of the SDK: a connection did not open, or nothing moved over it.
  ["TimeoutError", "Unavailable"]
])

const statuses: ReadonlyMap<number, Reason> = new Map([
  // As `PermanentRedirect`, where there is no body to say so.
  [301, "NotFound"],
  [401, "Denied"],
  [403, "Denied"],
  [404, "NotFound"],
  [408, "Unavailable"],
  [412, "Unavailable"],
  [429, "Unavailable"],
  [500, "Unavailable"],
  [502, "Unavailable"],
  [503, "Unavailable"],
  [504, "Unavailable"],
  [507, "Full"]
])

const reasonOf = (name: string, status: number | undefined, cause: unknown): Reason =>
  AddressRefused.isRefused(cause)
    ? "Refused"
    : (reasons.get(name) ??
      statuses.get(status ?? 0) ??
      (status === undefined && S3Errors.isNetwork(cause) ? "Unavailable" : "Internal"))

const maxMessage = 300

/** A text of the service's as one short line without any of the secrets. */
const tidied = (text: string, secrets: ReadonlyArray<string>): string => {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
  return secrets.reduce((line, secret) => line.replaceAll(secret, "…"), line).slice(0, maxMessage)
}

/** Names, and messages, that the SDK makes up where the service gave none. */
const isNameless = (name: string): boolean => /^(?:\d+|Unknown(?:Error)?|Error|NotFound|)$/.test(name)

const detailOf = (
  reason: Reason,
  name: string,
  status: number | undefined,
  cause: unknown,
  message: string
): string => {
  if (reason === "Refused") return AddressRefused.detail
  if (status !== undefined && status !== 200) {
    if (isNameless(name)) return `The service answered with status ${status}.`
    return isNameless(message)
      ? `The service answered with ${name} (status ${status}).`
      : `${message} (${name}, status ${status})`
  }
  // Its message would tell the address that a name has in this deployment's network.
  const code = S3Errors.property(cause, "code")
  const kind = typeof code === "string" ? code : name
  return reason === "Unavailable" ? `The service cannot be reached (${kind}).` : `The request failed (${kind}).`
}

/** The errors of a target that is opened with these secrets. */
export const make = (secrets: ReadonlyArray<string>): Client.Errors<MirrorTargetError> => ({
  fromSdk: (operation) => (cause) => {
    const status = S3Errors.statusOf(cause)
    const name = tidied(String(S3Errors.property(cause, "name") ?? ""), secrets)
    const message = tidied(String(S3Errors.property(cause, "message") ?? ""), secrets)
    const reason = reasonOf(name, status, cause)
    return new MirrorTargetError({ reason, operation, detail: detailOf(reason, name, status, cause, message) })
  },
  unexpected: (operation, message) =>
    new MirrorTargetError({ reason: "Internal", operation, detail: `Unexpectedly, ${message}.` }),
  tooLarge: (operation, message) =>
    new MirrorTargetError({ reason: "Invalid", operation, detail: `It is too large: ${message}.` }),
  untidy: (error) => Effect.logWarning("Parts of an upload were left at a mirror's target.", error.detail)
})

/** The object is one that S3 cannot hold. */
export const invalid = (operation: string, detail: string): MirrorTargetError =>
  new MirrorTargetError({ reason: "Invalid", operation, detail })

export const damaged = (detail: string): MirrorTargetError =>
  new MirrorTargetError({ reason: "Damaged", operation: "write", detail })

export const notFound = (operation: string): MirrorTargetError =>
  new MirrorTargetError({ reason: "NotFound", operation, detail: "There is no such object in the bucket." })
