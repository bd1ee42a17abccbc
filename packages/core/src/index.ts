/**
 * The Promise API: `open`, the types of its inputs and results, and every error class with which its methods reject.
 *
 * Programs that use Effect import the modules themselves, such as `@holdfast/core/Holdfast` and `@holdfast/core/files/Files`.
 */
export * from "./promises/internal/ErrorClasses.ts"
export type { Fault } from "./Errors.ts"
export type { Rejection } from "./promises/Operations.ts"
// An error of `open` alone.
export { StoreMismatch } from "./deployment/StoreIdentity.ts"

export { type Holdfast, open } from "./promises/internal/PromiseApi.ts"
export type {
  BlobsAdapter,
  MetadataAdapter,
  MirrorsAdapter,
  OpenOptions,
  VideoAdapter,
  WebhooksAdapter,
  WorkspaceAdapter
} from "./promises/internal/options/OpenOptions.ts"
export type {
  AfterHook,
  BeforeHook,
  CompletedChange,
  DeleteChange,
  HookedFile,
  Hooks,
  Refusal,
  ReplaceChange,
  UploadChange
} from "./promises/Hooks.ts"
export type { LogEntry, LogLevel } from "./promises/Log.ts"
export { defineBlobStore } from "./promises/DefineBlobStore.ts"
export type {
  BlobOperation,
  BlobStoreDefinition,
  ListedBlob,
  OpenedBlob,
  PutBlob,
  ReadBlob
} from "./promises/BlobStoreDefinition.ts"
export type { ActorHandle } from "./promises/internal/ActorHandle.ts"
export type { CheckResult, HealthChecks, HealthReport } from "./deployment/Health.ts"
export type { CallOptions } from "./promises/Operations.ts"

export type { Page, Request as PageRequest } from "./Page.ts"
export type { Permission } from "./Permission.ts"
export type { RoleId, RoleName } from "./Role.ts"
export type { Quota, RateInput, SettingsInput } from "./Settings.ts"
export type { BucketRef } from "./buckets/BucketRef.ts"
export type { FileRef } from "./files/FileRef.ts"
export type { MirrorRef } from "./mirrors/MirrorRepository.ts"
export type { DeliveryRef } from "./webhooks/DeliveryRepository.ts"
export type { WebhookRef } from "./webhooks/StoredWebhook.ts"
export type { QuotasApi, SetQuotaInput, TenantQuotaRecord } from "./promises/resources/internal/QuotasApi.ts"
export type { ForceOption, Listing, TenantRef } from "./promises/resources/internal/Shared.ts"
export type { Conditions, EntityTags } from "./promises/resources/internal/Conditions.ts"
export type { ContentSource } from "./promises/internal/content/ContentSource.ts"
export type { Download } from "./promises/content/Download.ts"
export type { FileDownload } from "./promises/internal/content/FileDownload.ts"
export type { RangeInput } from "./promises/internal/content/RangeInput.ts"
export type { StreamDownload } from "./promises/internal/content/StreamDownload.ts"
export type {
  CreatedTenantRecord,
  CreateTenantInput,
  OwnTenantRecord,
  RemoveTenantInput,
  TenantRecord,
  TenantsApi,
  UpdateTenantInput
} from "./promises/resources/TenantsApi.ts"
export type {
  AddMemberInput,
  ListMembersInput,
  MemberRecord,
  MemberRef,
  MembersApi,
  RemoveMemberInput,
  RoleSelector,
  UpdateMemberInput
} from "./promises/resources/MembersApi.ts"
export type { InvitationRecord, LeaveTenantInput, MembershipsApi } from "./promises/resources/MembershipsApi.ts"
export type {
  CreatedTokenRecord,
  CreateTokenInput,
  ListTokensInput,
  TokenRecord,
  TokenScope,
  TokenRef,
  TokensApi
} from "./promises/resources/TokensApi.ts"
export type {
  BucketRecord,
  BucketsApi,
  CreateBucketInput,
  ListBucketsInput,
  RemoveBucketInput,
  ShareRules,
  UpdateBucketInput
} from "./promises/resources/BucketsApi.ts"
export type {
  FileMetadata,
  FilePage,
  FileRecord,
  ListFilesInput,
  MovedFiles,
  SignedUrl,
  UploadUrl
} from "./promises/resources/internal/FileRecords.ts"
export type {
  ContentInput,
  FilesApi,
  CopyFileInput,
  FileExistsInput,
  GetFileInput,
  MoveFileInput,
  MoveFilesInput,
  ReadFileInput,
  RemoveFileInput,
  RemoveFilesInput,
  ReserveFileInput,
  ReuploadInput,
  SignedUrlInput,
  UpdateFileInput,
  UploadInput,
  UploadUrlInput
} from "./promises/resources/FilesApi.ts"
export type { CreateUploadInput, UploadPartRecord, UploadRecord } from "./promises/resources/internal/UploadRecords.ts"
export type { UploadRef } from "./uploads/UploadRepository.ts"
export type {
  AppendUploadInput,
  CompleteUploadInput,
  ListedPartInput,
  ListUploadPartsInput,
  ListUploadsInput,
  PutUploadPartInput,
  UploadsApi
} from "./promises/resources/UploadsApi.ts"
export type { FolderJobRef } from "./folders/FolderJob.ts"
export type {
  FolderJobRecord,
  FoldersApi,
  MoveFolderInput,
  RemoveFolderInput
} from "./promises/resources/FoldersApi.ts"
export type { EventRecord, EventsApi, ExportEventsInput, ListEventsInput } from "./promises/resources/EventsApi.ts"
export type {
  HeaderRecord,
  HeadersApi,
  RemoveHeaderInput,
  SetHeaderInput,
  SetHeadersInput
} from "./promises/resources/HeadersApi.ts"
export type {
  AttachCaptionsInput,
  CaptionsRecord,
  CaptionsRef,
  PosterRecord,
  PlaybackKeyInput,
  PlaybackKeyRecord,
  ReadStreamInput,
  RequestStreamInput,
  SetPosterInput,
  StreamRecord,
  StreamRef,
  StreamsApi,
  WaitOption
} from "./promises/resources/StreamsApi.ts"
export type {
  CreateMirrorInput,
  ListMirrorFilesInput,
  ListMirrorsInput,
  MirrorFileRecord,
  MirrorRecord,
  MirrorsApi,
  UpdateMirrorInput
} from "./promises/resources/MirrorsApi.ts"
export type {
  CreatedShareRecord,
  CreateShareInput,
  ListSharesInput,
  ShareRecord,
  ShareRef,
  SharesApi,
  UpdateShareInput
} from "./promises/resources/SharesApi.ts"
export type {
  CreateWebhookInput,
  DeliveryRecord,
  EventType,
  ListDeliveriesInput,
  ListWebhooksInput,
  QueuedTestRecord,
  RecoverWebhookInput,
  UpdateWebhookInput,
  WebhookRecord,
  WebhooksApi,
  WebhookWithSecretRecord
} from "./promises/resources/WebhooksApi.ts"
export type {
  AccountKeyRecord,
  AccountKeyRef,
  CreateAccountKeyInput,
  CreatedAccountKeyRecord,
  KeysApi
} from "./promises/resources/internal/KeysApi.ts"
