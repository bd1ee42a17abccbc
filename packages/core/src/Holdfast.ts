/**
 * The whole of Holdfast as one layer: every service, over the ports that an application chooses.
 */
import * as Layer from "effect/Layer"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Access from "./access/Access.ts"
import type { AccessRepository } from "./access/AccessRepository.ts"
import type { AccountRepository } from "./accounts/AccountRepository.ts"
import * as Accounts from "./accounts/Accounts.ts"
import type { BucketRepository } from "./buckets/BucketRepository.ts"
import * as Buckets from "./buckets/Buckets.ts"
import * as Downloads from "./files/Downloads.ts"
import type { FileRepository } from "./files/FileRepository.ts"
import * as Files from "./files/Files.ts"
import * as Uploads from "./files/Uploads.ts"
import * as Headers from "./headers/Headers.ts"
import type { MemberRepository } from "./members/MemberRepository.ts"
import * as Members from "./members/Members.ts"
import type { MirrorRepository } from "./mirrors/MirrorRepository.ts"
import * as Mirrors from "./mirrors/Mirrors.ts"
import * as FileChangeNotifier from "./mirrors/worker/FileChangeNotifier.ts"
import type { MirrorTargets } from "./mirrors/targets/MirrorTarget.ts"
import type { MirrorTaskRepository } from "./mirrors/worker/MirrorTaskRepository.ts"
import * as NotifyingFiles from "./mirrors/worker/NotifyingFiles.ts"
import type { SecretBox } from "./secrets/SecretBox.ts"
import type { BlobRepository } from "./storage/BlobRepository.ts"
import type { BlobStore } from "./storage/BlobStore.ts"
import * as Fsck from "./storage/Fsck.ts"
import * as Sweeper from "./storage/Sweeper.ts"
import type { ConversionRepository } from "./conversions/ConversionRepository.ts"
import * as ConversionNotifier from "./conversions/ConversionNotifier.ts"
import * as Conversions from "./conversions/Conversions.ts"
import * as PlaybackKeys from "./playback/PlaybackKeys.ts"
import * as Streams from "./playback/Streams.ts"
import type { TenantRepository } from "./tenants/TenantRepository.ts"
import * as Tenants from "./tenants/Tenants.ts"
import type { TokenRepository } from "./tokens/TokenRepository.ts"
import * as Tokens from "./tokens/Tokens.ts"
import type { Transcoder } from "./transcoding/Transcoder.ts"

/** The repositories: one metadata adapter gives them all. */
export type Metadata =
  | AccessRepository
  | AccountRepository
  | TenantRepository
  | MemberRepository
  | TokenRepository
  | BucketRepository
  | FileRepository
  | BlobRepository
  | ConversionRepository
  | MirrorRepository
  | MirrorTaskRepository

/**
 * What Holdfast needs: metadata, a place for bytes, a converter of videos, targets for mirrors, what seals secrets, and
 * cryptography. With `Transcoder.layerNone` everything but conversions works, with `MirrorTarget.layerNone` mirrors lead
 * to buckets of this deployment alone, and with `SecretBox.layerNone` there are none.
 */
export type Ports = Metadata | BlobStore | Transcoder | MirrorTargets | SecretBox | SecureRandom | Digest

/** What Holdfast offers. */
export type Services =
  | Access.Access
  | Accounts.Accounts
  | Tenants.Tenants
  | Members.Members
  | Tokens.Tokens
  | Buckets.Buckets
  | Files.Files
  | Uploads.Uploads
  | Downloads.Downloads
  | Headers.Headers
  | Conversions.Conversions
  | Streams.Streams
  | PlaybackKeys.PlaybackKeys
  | ConversionNotifier.ConversionNotifier
  | Mirrors.Mirrors
  | FileChangeNotifier.FileChangeNotifier
  | Sweeper.Sweeper
  | Fsck.Fsck

const services = Layer.mergeAll(
  Accounts.layer,
  Tenants.layer,
  Members.layer,
  Tokens.layer,
  Buckets.layer,
  Files.layer,
  Uploads.layer,
  Downloads.layer,
  Headers.layer,
  Conversions.layer,
  Streams.layer,
  PlaybackKeys.layer,
  Sweeper.layer,
  Fsck.layer
)

/**
 * Every service. No background work: `Sweeper.layerPeriodic` is added where it should run, `ConversionWorker.layer` where
 * videos are to be converted, and `MirrorWorker.layer` where files are to be copied to mirrors.
 */
export const layer: Layer.Layer<Services, never, Ports> = Mirrors.layer.pipe(
  Layer.provideMerge(services),
  Layer.provide(NotifyingFiles.layer),
  Layer.provideMerge(Layer.mergeAll(Access.layer, ConversionNotifier.layer, FileChangeNotifier.layer))
)
