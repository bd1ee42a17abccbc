/**
 * Maps the failures of this package to the errors of the two ports.
 */
import * as MirrorTargetError from "@holdfast/core/mirrors/targets/MirrorTargetError"
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as Effect from "effect/Effect"
import { GcsFailure, type Kind } from "./GcsFailure.ts"

/** A missing bucket and wrong credentials are faults of the configuration, not of one blob. */
const blobReasons: { readonly [K in Kind]: BlobError.Reason } = {
  NoObject: "NotFound",
  NoBucket: "Internal",
  Denied: "Internal",
  Refused: "Internal",
  Unavailable: "Unavailable",
  Full: "StorageFull",
  TooLarge: "StorageFull",
  Invalid: "Internal",
  Damaged: "Unavailable",
  Changed: "Unavailable",
  Internal: "Internal"
}

/** Returns the error of a method of BlobStore. */
export const toBlobError =
  (operation: string) =>
  ({ cause, kind, message }: GcsFailure): BlobError.BlobError =>
    new BlobError.BlobError({ reason: blobReasons[kind], operation, cause: cause ?? new Error(message) })

const targetReasons: { readonly [K in Kind]: MirrorTargetError.Reason } = {
  NoObject: "NotFound",
  NoBucket: "NotFound",
  Denied: "Denied",
  Refused: "Refused",
  Unavailable: "Unavailable",
  Full: "Full",
  TooLarge: "Invalid",
  Invalid: "Invalid",
  Damaged: "Damaged",
  Changed: "Unavailable",
  Internal: "Internal"
}

/** Returns the error of a method of MirrorTarget. Drops the cause, which may have addresses of this deployment. */
export const toTargetError =
  (operation: string) =>
  ({ kind, message }: GcsFailure): MirrorTargetError.MirrorTargetError => {
    // Only a request that writes can be invalid because of the object.
    const isOfObject = operation === "write" || operation === "describe"
    const reason = kind === "Invalid" && !isOfObject ? "Internal" : targetReasons[kind]
    return new MirrorTargetError.MirrorTargetError({ reason, operation, detail: message })
  }

/** Maps this package's failures, and leaves the errors of a content unchanged. */
export const mapFailure =
  <E>(toError: (failure: GcsFailure) => E) =>
  <A, E2, R>(self: Effect.Effect<A, GcsFailure | E2, R>): Effect.Effect<A, E | E2, R> =>
    Effect.mapError(self, (error) => (error instanceof GcsFailure ? toError(error) : error))
