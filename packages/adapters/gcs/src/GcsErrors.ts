/**
 * From the one failure of this package to the errors of the ports.
 */
import * as MirrorTargetError from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as BlobError from "@holdfast/core/storage/BlobError"
import type * as GcsFailure from "./GcsFailure.ts"

const blobReasons: { readonly [K in GcsFailure.Kind]: BlobError.Reason } = {
  NoObject: "NotFound",
  // No blob is missing: the configuration is wrong.
  NoBucket: "Internal",
  Denied: "Internal",
  Refused: "Internal",
  Full: "StorageFull",
  TooLarge: "StorageFull",
  Unavailable: "Unavailable",
  Damaged: "Unavailable",
  Changed: "Unavailable",
  Invalid: "Internal",
  Internal: "Internal"
}

/** The error of a method of the BlobStore port. */
export const toBlobError =
  (operation: string) =>
  ({ cause, detail, kind }: GcsFailure.GcsFailure): BlobError.BlobError =>
    new BlobError.BlobError({ reason: blobReasons[kind], operation, cause: cause ?? new Error(detail) })

const targetReasons: { readonly [K in GcsFailure.Kind]: MirrorTargetError.Reason } = {
  NoObject: "NotFound",
  NoBucket: "NotFound",
  Denied: "Denied",
  Refused: "Refused",
  Full: "Full",
  TooLarge: "Invalid",
  Unavailable: "Unavailable",
  Damaged: "Damaged",
  Changed: "Unavailable",
  Invalid: "Invalid",
  Internal: "Internal"
}

/** The error of a method of the MirrorTarget port. What caused it may name addresses of this deployment, and stays here. */
export const toTargetError =
  (operation: string) =>
  ({ detail, kind }: GcsFailure.GcsFailure): MirrorTargetError.MirrorTargetError => {
    // Only what is written can be something that the target does not take.
    const isOfObject = operation === "write" || operation === "describe"
    const reason = kind === "Invalid" && !isOfObject ? "Internal" : targetReasons[kind]
    return new MirrorTargetError.MirrorTargetError({ reason, operation, detail })
  }
