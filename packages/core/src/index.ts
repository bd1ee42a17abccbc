/**
 * Holdfast for programs that do not use Effect: `open`, and every error class it can reject with.
 *
 * Effect users import the modules themselves, such as `@holdfast/core/Holdfast` and `@holdfast/core/files/Files`.
 */
export { SubdomainTaken, TenantNotEmpty } from "./tenants/Tenant.ts"
export { LastAdmin, MemberExists } from "./members/Member.ts"
export { BucketExists, BucketNotEmpty } from "./buckets/Bucket.ts"
export {
  AliasTaken,
  ChecksumMismatch,
  ContentNotUploaded,
  ContentTooLarge,
  FileExists,
  LengthMismatch,
  UploadExpired
} from "./files/FileErrors.ts"
export {
  type Fault,
  Forbidden,
  InvalidCursor,
  InvalidRequest,
  NotFound,
  PreconditionFailed,
  Unauthenticated
} from "./Errors.ts"
export {
  ConversionFailed,
  NotAVideo,
  StreamNotConverted,
  StreamNotReady,
  TranscoderUnavailable
} from "./conversions/StreamErrors.ts"
export { MirrorLoop, MirrorTargetUnreachable, MirrorTypeUnavailable } from "./mirrors/MirrorErrors.ts"
export { MetadataError } from "./MetadataError.ts"
export { BlobError } from "./storage/BlobError.ts"
export { Aborted, Closed, SourceFailed } from "./promises/PromiseApiErrors.ts"
export type { ActorHandle } from "./promises/Actors.ts"
export type { InTenant } from "./promises/Call.ts"
export type { DownloadHandle, RangeInput } from "./promises/DownloadHandle.ts"
export type { ContentInput, FileRecord, ReadInput, ReuploadInput, UploadInput } from "./promises/FilesApi.ts"
export type { StreamHandle } from "./promises/StreamHandle.ts"
export type {
  OpenStreamInput,
  PlaybackKeyRecord,
  RequestInput,
  StreamInput,
  StreamRecord
} from "./promises/StreamInputs.ts"
export type { VideoAdapter, WorkspaceAdapter } from "./promises/VideoOptions.ts"
export type { MirrorsAdapter } from "./promises/MirrorOptions.ts"
export type { CreateMirrorInput, MirrorFileRecord, MirrorRecord, UpdateMirrorInput } from "./promises/MirrorsApi.ts"
export type { CallOptions } from "./promises/Runner.ts"
export type { Source } from "./promises/ContentSource.ts"
export {
  type BlobsAdapter,
  type Holdfast,
  type MetadataAdapter,
  open,
  type OpenOptions
} from "./promises/PromiseApi.ts"
