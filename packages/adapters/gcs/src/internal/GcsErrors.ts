/**
 * Maps the failures of this package to the errors of the two ports.
 */
import * as MirrorTargetError from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as RemoteTargetReasons from "@holdfast/core/mirrors/targets/RemoteTargetReasons"
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as RemoteFailure from "@holdfast/core/storage/RemoteFailure"
import type { GcsFailure } from "./GcsFailure.ts"

/** Returns the error of a method of BlobStore. */
export const toBlobError =
  (operation: string) =>
  ({ cause, kind, message }: GcsFailure): BlobError.BlobError =>
    new BlobError.BlobError({ reason: RemoteFailure.blobReasons[kind], operation, cause: cause ?? new Error(message) })

/** Returns the error of a method of MirrorTarget. Drops the cause, which may have addresses of this deployment. */
export const toTargetError =
  (operation: string) =>
  ({ kind, message }: GcsFailure): MirrorTargetError.MirrorTargetError => {
    // Only a request that writes can be invalid because of the object.
    const isOfObject = operation === "write" || operation === "describe"
    const reason = kind === "Invalid" && !isOfObject ? "Internal" : RemoteTargetReasons.targetReasons[kind]
    return new MirrorTargetError.MirrorTargetError({ reason, operation, detail: message })
  }
