/**
 * Maps the failures of this package to the errors of the two ports.
 */
import * as MirrorTargetError from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as RemoteTargetReasons from "@holdfast/core/mirrors/targets/RemoteTargetReasons"
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as RemoteFailure from "@holdfast/core/storage/RemoteFailure"
import * as Text from "@holdfast/core/Text"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import { property } from "@holdfast/outbound/Property"
import * as ResponseFault from "@holdfast/outbound/ResponseFault"
import type { Kind, S3Failure } from "./S3Failure.ts"

const blobReasons: { readonly [K in Kind]: BlobError.Reason } = {
  ...RemoteFailure.blobReasons,
  ClockSkew: "Internal",
  Loop: "Internal",
  // A store makes no conditional requests.
  Changed: "Internal"
}

/** Returns the error of a method of BlobStore. */
export const toBlobError =
  (operation: string) =>
  ({ cause, kind }: S3Failure): BlobError.BlobError =>
    new BlobError.BlobError({ reason: blobReasons[kind], operation, cause })

const targetReasons: { readonly [K in Kind]: MirrorTargetError.Reason } = {
  ...RemoteTargetReasons.targetReasons,
  ClockSkew: "Unavailable",
  Loop: "Loop"
}

/** Characters of a code and of a message: with the status they fit into the text of an error. */
const limits = { code: 60, message: 200 }

/** Returns a text of the service as one short line, without the secrets. */
const sanitize = (text: string, secrets: ReadonlyArray<string>, maxLength: number): string => {
  const line = Text.toLine(text, text.length)
  return Text.toLine(
    secrets.reduce((line, secret) => line.replaceAll(secret, "…"), line),
    maxLength
  )
}

/** Codes and messages that the SDK makes up when the service sent none. */
const isMadeUp = (text: string): boolean => /^(?:\d+|Unknown(?:Error)?|Error|NotFound|)$/.test(text)

const detailOf = (
  { cause, code: rawCode, kind, message: rawMessage, status }: S3Failure,
  secrets: ReadonlyArray<string>
) => {
  if (rawCode === undefined) return rawMessage
  if (kind === "Refused") return AddressRefused.detail
  const fault = ResponseFault.find(cause)
  if (fault !== undefined) return fault.detail
  const code = sanitize(rawCode, secrets, limits.code)
  const message = sanitize(rawMessage, secrets, limits.message)
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
