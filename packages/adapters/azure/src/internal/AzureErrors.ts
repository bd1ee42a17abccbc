/**
 * Maps the failures of this package to the errors of the two ports.
 */
import * as MirrorTargetError from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as RemoteTargetReasons from "@holdfast/core/mirrors/targets/RemoteTargetReasons"
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as RemoteFailure from "@holdfast/core/storage/RemoteFailure"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as ResponseFault from "@holdfast/outbound/ResponseFault"
import type { AzureFailure, Kind } from "./AzureFailure.ts"

const blobReasons: { readonly [K in Kind]: BlobError.Reason } = { ...RemoteFailure.blobReasons, NoAccount: "Internal" }

/** Returns the error of a method of BlobStore. */
export const toBlobError =
  (operation: string) =>
  (failure: AzureFailure): BlobError.BlobError =>
    new BlobError.BlobError({ reason: blobReasons[failure.kind], operation, cause: failure })

const targetReasons: { readonly [K in Kind]: MirrorTargetError.Reason } = {
  ...RemoteTargetReasons.targetReasons,
  NoAccount: "NotFound"
}

const details: { readonly [K in Kind]: string } = {
  NoObject: "The object does not exist.",
  NoAccount: "The storage account does not exist.",
  NoBucket: "The container does not exist.",
  Denied: "The storage account does not accept the account key, or does not permit this operation.",
  Refused: AddressRefused.detail,
  Unavailable: "The storage account does not answer, or asks for a later retry.",
  Full: "The storage account has no space left.",
  TooLarge: "The object is larger than the storage account accepts.",
  Invalid: "The storage account does not permit this change of the object.",
  Damaged: "The bytes were damaged in transit.",
  OutOfRange: "The object is shorter than expected.",
  Changed: "Another program changed the object at the same time.",
  Internal: "The storage account answered unexpectedly."
}

/** Whether a text looks like an error code. Everything else in a response may be any text of any origin. */
const isCode = (text: string | undefined): text is string => text !== undefined && /^[A-Za-z0-9]{1,64}$/.test(text)

/** Returns the error of a method of MirrorTarget. */
export const toTargetError =
  (operation: string) =>
  (failure: AzureFailure): MirrorTargetError.MirrorTargetError => {
    const { code, kind, status } = failure
    const detail = ResponseFault.find(failure)?.detail ?? details[kind]
    // Without a status the code is that of a failed connection, and not the service's.
    const suffix = status === undefined ? "" : ` (${isCode(code) ? code : `HTTP ${status}`})`
    return new MirrorTargetError.MirrorTargetError({
      reason: targetReasons[kind],
      operation,
      detail: detail + suffix,
      cause: failure
    })
  }
