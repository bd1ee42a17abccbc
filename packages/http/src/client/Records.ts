/**
 * The inputs and results of the client. Results are the JSON of the responses: times are ISO 8601 strings in UTC.
 */
import type * as Core from "@holdfast/core"
import type { Me } from "@holdfast/core/access/Me"
import type { Role } from "@holdfast/core/Role"

export type {
  AddMemberInput,
  AttachCaptionsInput,
  BucketRef,
  CaptionsRef,
  Conditions,
  ContentInput,
  ContentSource,
  CreateBucketInput,
  CreateMirrorInput,
  CreateShareInput,
  CreateTenantInput,
  CreateTokenInput,
  CreateWebhookInput,
  DeliveryRef,
  Download,
  EntityTags,
  ExportEventsInput,
  FileRef,
  ForceOption,
  GetFileInput,
  HeaderRecord,
  LeaveTenantInput,
  ListBucketsInput,
  ListEventsInput,
  ListDeliveriesInput,
  ListFilesInput,
  Listing,
  ListMembersInput,
  ListMirrorFilesInput,
  ListMirrorsInput,
  ListSharesInput,
  ListTokensInput,
  ListWebhooksInput,
  MemberRef,
  MirrorRef,
  Page,
  PageRequest,
  PlaybackKeyInput,
  QueuedTestRecord,
  RangeInput,
  ReadFileInput,
  ReadStreamInput,
  RecoverWebhookInput,
  RemoveBucketInput,
  RemoveFileInput,
  RemoveHeaderInput,
  RemoveMemberInput,
  RemoveTenantInput,
  RequestStreamInput,
  ReserveFileInput,
  ReuploadInput,
  SetHeaderInput,
  SetHeadersInput,
  SetPosterInput,
  ShareRef,
  StreamRef,
  TenantRef,
  TokenRef,
  UpdateBucketInput,
  UpdateFileInput,
  UpdateMemberInput,
  UpdateMirrorInput,
  UpdateShareInput,
  UpdateTenantInput,
  UpdateWebhookInput,
  UploadInput,
  UploadUrlInput,
  WebhookRef
} from "@holdfast/core"

export type MeRecord = typeof Me.Encoded
export type RoleRecord = typeof Role.Encoded
export type TenantRecord = Core.TenantRecord<string>
export type CreatedTenantRecord = Core.CreatedTenantRecord<string>
export type MemberRecord = Core.MemberRecord<string>
export type InvitationRecord = Core.InvitationRecord<string>
export type TokenRecord = Core.TokenRecord<string>
export type CreatedTokenRecord = Core.CreatedTokenRecord<string>
export type BucketRecord = Core.BucketRecord<string>
export type FileRecord = Core.FileRecord<string>
export type FilePage = Core.FilePage<string>
export type CaptionsRecord = Core.CaptionsRecord<string>
export type PosterRecord = Core.PosterRecord<string>
export type PlaybackKeyRecord = Core.PlaybackKeyRecord<string>
export type StreamRecord = Core.StreamRecord<string>
export type MirrorRecord = Core.MirrorRecord<string>
export type MirrorFileRecord = Core.MirrorFileRecord<string>
export type EventRecord = Core.EventRecord<string>
export type DeliveryRecord = Core.DeliveryRecord<string>
export type ShareRecord = Core.ShareRecord<string>
export type CreatedShareRecord = Core.CreatedShareRecord<string>
export type WebhookRecord = Core.WebhookRecord<string>
export type WebhookWithSecretRecord = Core.WebhookWithSecretRecord<string>
