/**
 * Every error class with which the methods of the Promise API reject. The compiler compares them with the errors of the operations
 * (`Rejection`): an operation with another error does not compile.
 */
export { SubdomainTaken, TenantNotEmpty } from "../../tenants/Tenant.ts"
export { LastAdmin, MemberExists } from "../../members/Member.ts"
export { CreatedResourcesRemain } from "../../members/CreatedResources.ts"
export { BucketExists, BucketNotEmpty } from "../../buckets/Bucket.ts"
export { TypeNotAllowed } from "../../buckets/ContentRules.ts"
export {
  AliasTaken,
  ChecksumMismatch,
  ContentDamaged,
  ContentNotUploaded,
  ContentTooLarge,
  FileExists,
  LengthMismatch,
  UploadExpired
} from "../../files/FileErrors.ts"
export {
  Forbidden,
  InvalidCursor,
  InvalidRequest,
  NotFound,
  OriginNotAllowed,
  PreconditionFailed,
  QuotaExceeded,
  Unauthenticated
} from "../../Errors.ts"
export {
  ContentEncrypted,
  ConversionFailed,
  NotAVideo,
  StreamNotConverted,
  StreamNotReady,
  TooManyConversions,
  TranscoderUnavailable
} from "../../conversions/StreamErrors.ts"
export { MirrorLoop, MirrorTargetUnreachable } from "../../mirrors/MirrorErrors.ts"
export { MirrorTypeUnavailable } from "../../mirrors/targets/MirrorTypeUnavailable.ts"
export { WebhookDisabled, WebhooksUnavailable } from "../../webhooks/WebhookErrors.ts"
export { ShareExhausted, SharePasswordRequired, TooManyPasswords } from "../../files/shares/Share.ts"
export { OffsetMismatch, UploadIncomplete, UploadSuperseded } from "../../uploads/UploadErrors.ts"
export { MetadataError } from "../../MetadataError.ts"
export { BlobError } from "../../storage/BlobError.ts"
export { Aborted, Closed, SourceFailed } from "./PromiseApiErrors.ts"
export { ChangeRefused, HookFailed } from "../../files/hooks/HookErrors.ts"
