/**
 * Maps the failures of this package to the errors of the two ports.
 */
import * as MirrorTargetError from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as AddressRefused from "@holdfast/outbound/AddressRefused"
import * as Effect from "effect/Effect"
import { AzureFailure, type Kind } from "./AzureFailure.ts"

/** A missing container and wrong credentials are faults of the configuration, not of one blob. */
const blobReasons: { readonly [K in Kind]: BlobError.Reason } = {
  NoObject: "NotFound",
  NoAccount: "Internal",
  NoBucket: "Internal",
  Denied: "Internal",
  Refused: "Internal",
  Unavailable: "Unavailable",
  Full: "StorageFull",
  TooLarge: "StorageFull",
  Invalid: "Internal",
  Damaged: "Unavailable",
  Internal: "Internal"
}

/** Returns the error of a method of BlobStore. */
export const toBlobError =
  (operation: string) =>
  (failure: AzureFailure): BlobError.BlobError =>
    new BlobError.BlobError({ reason: blobReasons[failure.kind], operation, cause: failure })

const targetErrors: { readonly [K in Kind]: readonly [reason: MirrorTargetError.Reason, detail: string] } = {
  NoObject: ["NotFound", "The object does not exist."],
  NoAccount: ["NotFound", "The storage account does not exist."],
  NoBucket: ["NotFound", "The container does not exist."],
  Denied: ["Denied", "The storage account does not accept the account key, or does not permit this operation."],
  Refused: ["Refused", AddressRefused.detail],
  Unavailable: ["Unavailable", "The storage account does not answer, or asks for a later retry."],
  Full: ["Full", "The storage account has no space left."],
  TooLarge: ["Invalid", "The object is larger than the storage account accepts."],
  Invalid: ["Invalid", "The storage account does not permit this change of the object."],
  Damaged: ["Damaged", "The bytes were damaged in transit."],
  Internal: ["Internal", "The storage account answered unexpectedly."]
}

/** Whether a text looks like an error code. Everything else in a response may be any text of any origin. */
const isCode = (text: string | undefined): text is string => text !== undefined && /^[A-Za-z0-9]{1,64}$/.test(text)

/** Returns the error of a method of MirrorTarget. */
export const toTargetError =
  (operation: string) =>
  (failure: AzureFailure): MirrorTargetError.MirrorTargetError => {
    const [reason, sentence] = targetErrors[failure.kind]
    const { code, status } = failure
    // Without a status the code is that of a failed connection, and not the service's.
    const suffix = status === undefined ? "" : ` (${isCode(code) ? code : `HTTP ${status}`})`
    return new MirrorTargetError.MirrorTargetError({ reason, operation, detail: sentence + suffix, cause: failure })
  }

/** Maps this package's failures, and leaves the errors of a content unchanged. */
export const mapFailure =
  <E>(toError: (failure: AzureFailure) => E) =>
  <A, E2, R>(self: Effect.Effect<A, AzureFailure | E2, R>): Effect.Effect<A, E | E2, R> =>
    Effect.mapError(self, (error) => (error instanceof AzureFailure ? toError(error) : error))
