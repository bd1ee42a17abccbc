/**
 * What the services' errors mean to a mirror into another tenant of the deployment.
 */
import type { AccessError } from "../../access/Access.ts"
import type { InvalidCursor, InvalidRequest, NotFound, PreconditionFailed } from "../../Errors.ts"
import type { AliasTaken, FileExists, UploadExpired } from "../../files/FileErrors.ts"
import type { StagingError } from "../../files/Staging.ts"
import { MirrorTargetError, type Reason } from "./MirrorTargetError.ts"

/** A failure of the source, on its way through the target's services. */
export interface SourceFault<E> {
  readonly _tag: "SourceFault"
  readonly error: E
}

export type ServiceError =
  | AccessError
  | InvalidRequest
  | InvalidCursor
  | NotFound
  | PreconditionFailed
  | FileExists
  | AliasTaken
  | UploadExpired
  | StagingError

const reasonOf = (error: ServiceError): Reason => {
  switch (error._tag) {
    case "Unauthenticated":
    case "Forbidden":
      return "Denied"
    case "NotFound":
      return "NotFound"
    case "InvalidRequest":
    case "ContentTooLarge":
      return "Invalid"
    case "ChecksumMismatch":
    case "LengthMismatch":
      return "Damaged"
    case "MetadataError":
    case "BlobError":
      return error.isRetryable ? "Unavailable" : error.reason === "StorageFull" ? "Full" : "Internal"
    // Somebody changes the same file at this moment.
    case "PreconditionFailed":
    case "FileExists":
    case "AliasTaken":
    case "UploadExpired":
    case "InvalidCursor":
      return "Unavailable"
  }
}

const detailOf = (error: ServiceError): string =>
  error._tag === "InvalidRequest"
    ? error.errors.map(({ detail, pointer }) => `${pointer} ${detail}`).join("; ")
    : error.message

export const toTargetError =
  (operation: string) =>
  (error: ServiceError): MirrorTargetError =>
    new MirrorTargetError({ operation, reason: reasonOf(error), detail: detailOf(error), cause: error })

/** The source's own failure, or what a service's error means. */
export const orSource =
  (operation: string) =>
  <E>(error: SourceFault<E> | ServiceError): E | MirrorTargetError =>
    error._tag === "SourceFault" ? error.error : toTargetError(operation)(error)
