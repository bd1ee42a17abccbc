/**
 * The layer of all services, over the ports that an application provides.
 */
import * as Layer from "effect/Layer"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Access from "./access/Access.ts"
import type { AccessRepository } from "./access/AccessRepository.ts"
import type { AccountRepository } from "./accounts/AccountRepository.ts"
import * as Accounts from "./accounts/Accounts.ts"
import type { BucketRepository } from "./buckets/BucketRepository.ts"
import * as Buckets from "./buckets/Buckets.ts"
import type { RemovalRepository } from "./buckets/RemovalRepository.ts"
import type { CaptionRepository } from "./captions/CaptionRepository.ts"
import * as Captions from "./captions/Captions.ts"
import * as DamagedStreams from "./conversions/DamagedStreams.ts"
import * as ConversionNotifier from "./conversions/ConversionNotifier.ts"
import type { ConversionRepository } from "./conversions/ConversionRepository.ts"
import * as Conversions from "./conversions/Conversions.ts"
import * as ForgetReached from "./usage/ForgetReached.ts"
import type * as Duration from "effect/Duration"
import * as RemovalWorker from "./buckets/RemovalWorker.ts"
import * as EventRetention from "./events/EventRetention.ts"
import * as DeliveryRetention from "./webhooks/worker/DeliveryRetention.ts"
import * as WebhookRecovery from "./webhooks/WebhookRecovery.ts"
import type { DeploymentRepository } from "./deployment/DeploymentRepository.ts"
import * as DueTimes from "./deployment/DueTimes.ts"
import type { EventRepository } from "./events/EventRepository.ts"
import * as Events from "./events/Events.ts"
import * as Refusals from "./events/Refusals.ts"
import * as Downloads from "./files/Downloads.ts"
import * as FileChangeNotifier from "./files/FileChangeNotifier.ts"
import type { FileRepository } from "./files/FileRepository.ts"
import * as Files from "./files/Files.ts"
import * as FilesByKey from "./files/keys/FilesByKey.ts"
import type { HookTaskRepository } from "./files/hooks/HookTaskRepository.ts"
import * as HookWorker from "./files/hooks/HookWorker.ts"
import * as FileWriter from "./files/FileWriter.ts"
import * as Uploads from "./files/Uploads.ts"
import type { FolderRepository } from "./folders/FolderRepository.ts"
import * as Folders from "./folders/Folders.ts"
import * as FolderWorker from "./folders/FolderWorker.ts"
import * as Headers from "./headers/Headers.ts"
import type { DamageRepository } from "./integrity/DamageRepository.ts"
import * as Integrity from "./integrity/Integrity.ts"
import * as IntegrityWorker from "./integrity/IntegrityWorker.ts"
import * as Repairs from "./integrity/Repairs.ts"
import * as Scrubber from "./integrity/Scrubber.ts"
import type { ScrubRepository } from "./integrity/ScrubRepository.ts"
import * as Links from "./files/links/Links.ts"
import * as UploadLinks from "./files/links/UploadLinks.ts"
import * as Moves from "./files/moves/Moves.ts"
import * as ShareExpiry from "./files/shares/ShareExpiry.ts"
import type { ShareRepository } from "./files/shares/ShareRepository.ts"
import * as Shares from "./files/shares/Shares.ts"
import * as ShareSessions from "./files/shares/ShareSessions.ts"
import * as ShareUse from "./files/shares/ShareUse.ts"
import type { MemberRepository } from "./members/MemberRepository.ts"
import * as Members from "./members/Members.ts"
import * as Memberships from "./members/Memberships.ts"
import type { MirrorRepository } from "./mirrors/MirrorRepository.ts"
import * as Mirrors from "./mirrors/Mirrors.ts"
import * as MirrorTarget from "./mirrors/targets/MirrorTarget.ts"
import * as MirrorCopies from "./mirrors/worker/MirrorCopies.ts"
import type { MirrorTaskRepository } from "./mirrors/worker/MirrorTaskRepository.ts"
import * as PlaybackKeys from "./playback/PlaybackKeys.ts"
import * as Streams from "./playback/Streams.ts"
import type { PosterRepository } from "./posters/PosterRepository.ts"
import * as Posters from "./posters/Posters.ts"
import type { QuotaRepository } from "./quotas/QuotaRepository.ts"
import * as Rates from "./rates/Rates.ts"
import * as SecretBox from "./secrets/SecretBox.ts"
import type { BlobRepository } from "./storage/BlobRepository.ts"
import type { BlobStore } from "./storage/BlobStore.ts"
import * as Fsck from "./storage/Fsck.ts"
import * as Sweeper from "./storage/Sweeper.ts"
import * as StoreTime from "./StoreTime.ts"
import type { TenantRepository } from "./tenants/TenantRepository.ts"
import * as Tenants from "./tenants/Tenants.ts"
import type { TokenRepository } from "./tokens/TokenRepository.ts"
import * as S3Credentials from "./tokens/S3Credentials.ts"
import * as Tokens from "./tokens/Tokens.ts"
import * as Transcoder from "./transcoding/Transcoder.ts"
import * as ContentDigests from "./uploads/ContentDigests.ts"
import * as ResumableUploads from "./uploads/ResumableUploads.ts"
import * as UploadExpiry from "./uploads/UploadExpiry.ts"
import type { UploadRepository } from "./uploads/UploadRepository.ts"
import * as BucketLimits from "./usage/BucketLimits.ts"
import * as Quotas from "./usage/Quotas.ts"
import type { UsageRepository } from "./usage/UsageRepository.ts"
import * as Deliveries from "./webhooks/Deliveries.ts"
import type { DeliveryRepository } from "./webhooks/DeliveryRepository.ts"
import * as Webhooks from "./webhooks/Webhooks.ts"
import type { WebhookRepository } from "./webhooks/WebhookRepository.ts"

/** The repositories. One metadata adapter provides all of them. */
export type Metadata =
  | DeploymentRepository
  | AccessRepository
  | AccountRepository
  | TenantRepository
  | MemberRepository
  | TokenRepository
  | BucketRepository
  | RemovalRepository
  | FileRepository
  | FolderRepository
  | HookTaskRepository
  | BlobRepository
  | DamageRepository
  | ScrubRepository
  | CaptionRepository
  | PosterRepository
  | ConversionRepository
  | EventRepository
  | MirrorRepository
  | MirrorTaskRepository
  | QuotaRepository
  | UploadRepository
  | ShareRepository
  | UsageRepository
  | WebhookRepository
  | DeliveryRepository

/**
 * The ports that Holdfast requires: metadata, blob store, transcoder, mirror targets, secret box and cryptography.
 *
 * Three of them have a layer without function. With `Transcoder.layerNone`, everything except conversions works. With
 * `MirrorTarget.layerNone`, a mirror's target can only be another bucket of this deployment. With `SecretBox.layerNone`,
 * there are no mirrors and no webhooks.
 */
export type Ports =
  | Metadata
  | BlobStore
  | Transcoder.Transcoder
  | MirrorTarget.MirrorTargets
  | SecretBox.SecretBox
  | SecureRandom.SecureRandom
  | Digest.Digest

/** The services that Holdfast provides. */
export type Services =
  | Access.Access
  | Accounts.Accounts
  | Tenants.Tenants
  | Members.Members
  | Memberships.Memberships
  | Tokens.Tokens
  | S3Credentials.S3Credentials
  | Buckets.Buckets
  | Events.Events
  | Files.Files
  | FilesByKey.FilesByKey
  | Moves.Moves
  | Folders.Folders
  | Uploads.Uploads
  | ResumableUploads.ResumableUploads
  | Downloads.Downloads
  | Headers.Headers
  | Links.Links
  | UploadLinks.UploadLinks
  | Shares.Shares
  | ShareUse.ShareUse
  | ShareSessions.ShareSessions
  | Conversions.Conversions
  | Captions.Captions
  | Posters.Posters
  | Streams.Streams
  | PlaybackKeys.PlaybackKeys
  | Rates.Rates
  | Refusals.Refusals
  | ConversionNotifier.ConversionNotifier
  | Mirrors.Mirrors
  | Webhooks.Webhooks
  | Deliveries.Deliveries
  | FileChangeNotifier.FileChangeNotifier
  | Quotas.Quotas
  | Sweeper.Sweeper
  | Fsck.Fsck

const services = Layer.mergeAll(
  Accounts.layer,
  Tenants.layer,
  Members.layer,
  Memberships.layer,
  Tokens.layer,
  S3Credentials.layer,
  Buckets.layer,
  Events.layer,
  Files.layer,
  FilesByKey.layer.pipe(Layer.provide([Files.layer, Downloads.layer])),
  Moves.layer,
  Folders.layer,
  Uploads.layer,
  ResumableUploads.layer,
  Downloads.layer,
  Headers.layer,
  Links.layer,
  UploadLinks.layer,
  Shares.layer,
  ShareSessions.layer.pipe(Layer.provideMerge(ShareUse.layer), Layer.provide([Files.layer, Links.layer])),
  Conversions.layer,
  Captions.layer,
  Posters.layer,
  Streams.layer,
  PlaybackKeys.layer,
  Quotas.layer,
  Rates.layer,
  Refusals.layer,
  Webhooks.layer,
  Deliveries.layer,
  Sweeper.layer,
  Fsck.layer
)

/**
 * All services, without background work. Add `layerMaintenance`, `ConversionWorker.layer` to convert videos, `MirrorWorker.layer` to copy
 * files to mirrors, `DeliveryWorker.layer` to send webhooks, and `HookWorker.layer` to run hooks after changes.
 *
 * Also provides the `Clock` of the metadata store (`StoreTime`), with which the effects of the services have to run.
 */
export const layer: Layer.Layer<Services, never, Ports> = Mirrors.layer.pipe(
  Layer.provideMerge(services),
  Layer.provide(FileWriter.layer),
  Layer.provideMerge(Layer.provideMerge(BucketLimits.layer, Quotas.layerQuotaOf)),
  Layer.provideMerge(Layer.mergeAll(Access.layer, ConversionNotifier.layer, FileChangeNotifier.layer)),
  Layer.provideMerge(StoreTime.layerClock)
)

/**
 * The background work that some process of each deployment has to do, besides conversions, mirrors and webhooks: sweeps at an interval, finishes
 * the removal of large buckets and tenants and folder jobs, deletes old events, forgets limits that are no longer reached, deletes the
 * records of expired uploads and shares, computes the digests of contents that were uploaded in parts, makes work due that a wrong clock has
 * postponed, queues failed deliveries of webhooks again on request, and deletes old ones.
 */
export const layerMaintenance = (options: { readonly sweepEvery: Duration.Input }) =>
  Layer.mergeAll(
    Sweeper.layerPeriodic(options.sweepEvery),
    RemovalWorker.layer(),
    FolderWorker.layer(),
    EventRetention.layer,
    WebhookRecovery.layer,
    DeliveryRetention.layer,
    DueTimes.layer,
    ForgetReached.layer,
    UploadExpiry.layer,
    ShareExpiry.layer,
    ContentDigests.layerNative
  )

/** The checks, repairs and scrubs of contents. */
export const integrity = Layer.merge(Repairs.layer, Scrubber.layer).pipe(Layer.provideMerge(Integrity.layer))

/** The share of the time in which a scrub works: it takes a tenth of a processor and of a disk at most. */
const scrubShare = 0.1

export interface Scrubs {
  /** The time between the beginnings of two scrubs. */
  readonly period: Duration.Input
  readonly bytesPerSecond: number
}

/**
 * The background work for damaged contents: checks what readers of this process report, repairs what is damaged, and scrubs unless `scrubs`
 * is absent. Provide `DamageReports.layer` to this layer and to the readers.
 */
export const layerIntegrity = (scrubs?: Scrubs) => {
  const scrubber = scrubs === undefined ? Layer.empty : Scrubber.layerPeriodic({ ...scrubs, share: scrubShare })
  return Layer.merge(IntegrityWorker.layer(), scrubber).pipe(
    Layer.provide(integrity),
    Layer.provide([MirrorCopies.layer, DamagedStreams.layer])
  )
}

/** The ports that most programs have no adapter of: no conversions, no targets of mirrors but other buckets, no secrets. */
const DefaultPorts = Layer.mergeAll(
  Transcoder.layerNone,
  MirrorTarget.layerNone,
  SecretBox.layerNone,
  SecureRandom.layerWebCrypto,
  Digest.layerWebCrypto
)

/**
 * All services with their background work, for a program that has an adapter for metadata and one for contents: sweeps every minute,
 * and has the ports without function where there is a choice. For conversions, mirrors or webhooks, compose `layer` and `layerMaintenance`.
 *
 * @example
 * Holdfast.layerDefaults.pipe(Layer.provide([SqliteMetadata.layer({ file }), FsBlobStore.layer({ directory })]))
 */
export const layerDefaults: Layer.Layer<Services, never, Metadata | BlobStore> = layerMaintenance({
  sweepEvery: "1 minute"
}).pipe(Layer.merge(HookWorker.layer), Layer.provideMerge(layer), Layer.provide(DefaultPorts))
