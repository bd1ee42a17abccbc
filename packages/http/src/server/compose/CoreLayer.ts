/**
 * The services of core over instrumented ports.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { AccessRepository } from "@holdfast/core/access/AccessRepository"
import { AccountRepository } from "@holdfast/core/accounts/AccountRepository"
import { BucketRepository } from "@holdfast/core/buckets/BucketRepository"
import { CaptionRepository } from "@holdfast/core/captions/CaptionRepository"
import { PosterRepository } from "@holdfast/core/posters/PosterRepository"
import { RemovalRepository } from "@holdfast/core/buckets/RemovalRepository"
import { DeploymentRepository } from "@holdfast/core/deployment/DeploymentRepository"
import { EventRepository } from "@holdfast/core/events/EventRepository"
import { FileRepository } from "@holdfast/core/files/FileRepository"
import { FolderRepository } from "@holdfast/core/folders/FolderRepository"
import * as Holdfast from "@holdfast/core/Holdfast"
import { DamageRepository } from "@holdfast/core/integrity/DamageRepository"
import { ScrubRepository } from "@holdfast/core/integrity/ScrubRepository"
import { MemberRepository } from "@holdfast/core/members/MemberRepository"
import { MirrorRepository } from "@holdfast/core/mirrors/MirrorRepository"
import type { MirrorTargets } from "@holdfast/core/mirrors/targets/MirrorTarget"
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import { QuotaRepository } from "@holdfast/core/quotas/QuotaRepository"
import type { SecretBox } from "@holdfast/core/secrets/SecretBox"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { TenantRepository } from "@holdfast/core/tenants/TenantRepository"
import { TokenRepository } from "@holdfast/core/tokens/TokenRepository"
import { HookTaskRepository } from "@holdfast/core/files/hooks/HookTaskRepository"
import { ShareRepository } from "@holdfast/core/files/shares/ShareRepository"
import { DeliveryRepository } from "@holdfast/core/webhooks/DeliveryRepository"
import { WebhookRepository } from "@holdfast/core/webhooks/WebhookRepository"
import * as PooledRandom from "@holdfast/core/secrets/PooledRandom"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { UploadRepository } from "@holdfast/core/uploads/UploadRepository"
import { UsageRepository } from "@holdfast/core/usage/UsageRepository"
import * as Layer from "effect/Layer"
import * as ConversionMetrics from "../metrics/ConversionMetrics.ts"
import * as IntegrityMetrics from "../metrics/IntegrityMetrics.ts"
import * as MirrorMetrics from "../metrics/MirrorMetrics.ts"
import * as PortMetrics from "../metrics/PortMetrics.ts"
import * as StorageMetrics from "../metrics/StorageMetrics.ts"
import * as WebhookMetrics from "../metrics/WebhookMetrics.ts"
import * as NodeDigest from "./NodeDigest.ts"

/** Random numbers and hashes from Node. */
export const layerCrypto: Layer.Layer<Digest | SecureRandom> = Layer.merge(NodeDigest.layer, PooledRandom.layer)

const services: Layer.Layer<
  Holdfast.Services | Digest | SecureRandom,
  never,
  Exclude<Holdfast.Ports, Digest | SecureRandom>
> = Holdfast.layer.pipe(Layer.provide(NodeCrypto.layerMac), Layer.provideMerge(layerCrypto))

/** The ports, with metrics of their failures, uploads, conversions and mirror tasks. */
const instrumentedPorts = Layer.mergeAll(
  PortMetrics.layer(AccessRepository),
  PortMetrics.layer(AccountRepository),
  PortMetrics.layer(TenantRepository),
  PortMetrics.layer(MemberRepository),
  PortMetrics.layer(TokenRepository),
  PortMetrics.layer(WebhookRepository),
  WebhookMetrics.layerDeliveries.pipe(Layer.provide(PortMetrics.layer(DeliveryRepository))),
  PortMetrics.layer(BucketRepository),
  PortMetrics.layer(ShareRepository),
  PortMetrics.layer(CaptionRepository),
  PortMetrics.layer(PosterRepository),
  PortMetrics.layer(HookTaskRepository),
  PortMetrics.layer(RemovalRepository),
  PortMetrics.layer(FolderRepository),
  PortMetrics.layer(BlobRepository),
  PortMetrics.layer(DeploymentRepository),
  PortMetrics.layer(EventRepository),
  PortMetrics.layer(QuotaRepository),
  PortMetrics.layer(UploadRepository),
  PortMetrics.layer(UsageRepository),
  IntegrityMetrics.layerScrubs.pipe(Layer.provide(PortMetrics.layer(ScrubRepository))),
  IntegrityMetrics.layerDamage.pipe(Layer.provide(PortMetrics.layer(DamageRepository))),
  ConversionMetrics.layerRepository.pipe(Layer.provide(PortMetrics.layer(ConversionRepository))),
  ConversionMetrics.layerTranscoder,
  PortMetrics.layer(MirrorRepository),
  MirrorMetrics.layerTasks.pipe(Layer.provide(PortMetrics.layer(MirrorTaskRepository))),
  StorageMetrics.layerFiles.pipe(Layer.provide(PortMetrics.layer(FileRepository))),
  StorageMetrics.layerBlobStore.pipe(Layer.provide(PortMetrics.layer(BlobStore)))
)

/** All services and the instrumented ports. */
export const layer: Layer.Layer<
  Holdfast.Services | Exclude<Holdfast.Ports, MirrorTargets | SecretBox>,
  never,
  Exclude<Holdfast.Ports, Digest | SecureRandom>
> = StorageMetrics.layerSweeper.pipe(Layer.provideMerge(services), Layer.provideMerge(instrumentedPorts))
