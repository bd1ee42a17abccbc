/**
 * Maps errors of the services to errors of a TenantBucketTarget.
 */
import type { AccessError } from "../../../access/Access.ts"
import type { InvalidCursor, InvalidRequest, NotFound, PreconditionFailed } from "../../../Errors.ts"
import type {
  AliasTaken,
  ContentDamaged,
  ContentNotUploaded,
  FileExists,
  UploadExpired
} from "../../../files/FileErrors.ts"
import type { StagingError } from "../../../files/internal/Staging.ts"
import { MirrorTargetError, type Reason } from "../MirrorTargetError.ts"

/** An error of the source's stream, wrapped so that it passes through the services of the target unchanged. */
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
  | ContentNotUploaded
  | ContentDamaged
  | StagingError

const toReason = (error: ServiceError): Reason => {
  switch (error._tag) {
    case "Unauthenticated":
    case "Forbidden":
    case "OriginNotAllowed":
      return "Denied"
    case "NotFound":
    case "ContentNotUploaded":
      return "NotFound"
    case "InvalidRequest":
    case "ContentTooLarge":
    case "TypeNotAllowed":
    case "ChangeRefused":
      return "Invalid"
    case "ChecksumMismatch":
    case "LengthMismatch":
    case "ContentDamaged":
      return "Damaged"
    case "QuotaExceeded":
      return "Full"
    case "MetadataError":
    case "BlobError":
      return error.isRetryable ? "Unavailable" : error.reason === "StorageFull" ? "Full" : "Internal"
    // Another writer changes the same file at this moment: a retry may succeed.
    case "PreconditionFailed":
    case "FileExists":
    case "AliasTaken":
    case "UploadExpired":
    case "HookFailed":
    case "InvalidCursor":
      return "Unavailable"
  }
}

const toDetail = (error: ServiceError): string =>
  error._tag === "InvalidRequest"
    ? error.errors.map(({ detail, pointer }) => `${pointer} ${detail}`).join("; ")
    : error.message

/** Returns a service's error as one of a method of the target. */
export const toTargetError =
  (operation: string) =>
  (error: ServiceError): MirrorTargetError =>
    new MirrorTargetError({ operation, reason: toReason(error), detail: toDetail(error), cause: error })

/** As `toTargetError`, but returns the source's own error for a `SourceFault`. */
export const toTargetOrSourceError =
  (operation: string) =>
  <E>(error: SourceFault<E> | ServiceError): E | MirrorTargetError =>
    error._tag === "SourceFault" ? error.error : toTargetError(operation)(error)
