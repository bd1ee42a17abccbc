/**
 * Maps the failures of this package to the errors of the two ports.
 */
import * as MirrorTargetError from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import { property } from "@holdfast/outbound/Property"
import * as Effect from "effect/Effect"
import { type Kind, S3Failure } from "./S3Failure.ts"

/** A missing bucket and wrong credentials are faults of the configuration, not of one blob. */
const blobReasons: { readonly [K in Kind]: BlobError.Reason } = {
  NoObject: "NotFound",
  NoBucket: "Internal",
  Denied: "Internal",
  Refused: "Internal",
  Unavailable: "Unavailable",
  ClockSkew: "Internal",
  Full: "StorageFull",
  TooLarge: "StorageFull",
  Invalid: "Internal",
  Damaged: "Unavailable",
  // A store makes no conditional requests.
  Changed: "Internal",
  Internal: "Internal"
}

/** Returns the error of a method of BlobStore. */
export const toBlobError =
  (operation: string) =>
  ({ cause, kind }: S3Failure): BlobError.BlobError =>
    new BlobError.BlobError({ reason: blobReasons[kind], operation, cause })

const targetReasons: { readonly [K in Kind]: MirrorTargetError.Reason } = {
  NoObject: "NotFound",
  NoBucket: "NotFound",
  Denied: "Denied",
  Refused: "Refused",
  Unavailable: "Unavailable",
  ClockSkew: "Unavailable",
  Full: "Full",
  TooLarge: "Invalid",
  Invalid: "Invalid",
  Damaged: "Damaged",
  Changed: "Unavailable",
  Internal: "Internal"
}

const maxMessage = 300

/** Returns a text of the service as one short line, without the secrets. */
const sanitize = (text: string, secrets: ReadonlyArray<string>): string => {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
  return secrets.reduce((line, secret) => line.replaceAll(secret, "…"), line).slice(0, maxMessage)
}

/** Codes and messages that the SDK makes up when the service sent none. */
const isMadeUp = (text: string): boolean => /^(?:\d+|Unknown(?:Error)?|Error|NotFound|)$/.test(text)

const detailOf = (
  { cause, code: rawCode, kind, message: rawMessage, status }: S3Failure,
  secrets: ReadonlyArray<string>
) => {
  if (rawCode === undefined) return rawMessage
  if (kind === "Refused") return AddressRefused.detail
  const code = sanitize(rawCode, secrets)
  const message = sanitize(rawMessage, secrets)
  if (status !== undefined && status !== 200) {
    if (isMadeUp(code)) return `The service answered with status ${status}.`
    return isMadeUp(message)
      ? `The service answered with ${code} (status ${status}).`
      : `${message} (${code}, status ${status})`
  }
  // The message of a failed connection has the address that a name resolves to in this deployment's network.
  const errno = property(cause, "code")
  const name = typeof errno === "string" ? errno : code
  return kind === "Unavailable" ? `The service cannot be reached (${name}).` : `The request failed (${name}).`
}

/** Maps failures of a mirror target to the error of one of its methods. */
export type ToTargetError = (operation: string) => (failure: S3Failure) => MirrorTargetError.MirrorTargetError

/** Returns the mapping for a target. Its errors do not contain the target's secrets, nor the SDK's errors. */
export const toTargetError =
  (secrets: ReadonlyArray<string>): ToTargetError =>
  (operation) =>
  (failure) =>
    new MirrorTargetError.MirrorTargetError({
      reason: targetReasons[failure.kind],
      operation,
      detail: detailOf(failure, secrets)
    })

/** Maps this package's failures, and leaves the errors of a content unchanged. */
export const mapFailure =
  <E>(toError: (failure: S3Failure) => E) =>
  <A, E2, R>(self: Effect.Effect<A, S3Failure | E2, R>): Effect.Effect<A, E | E2, R> =>
    Effect.mapError(self, (error) => (error instanceof S3Failure ? toError(error) : error))
