/**
 * The ports with metrics of their failures, and of uploads, conversions, mirror tasks, deliveries, scrubs and sweeps.
 */
import * as Layer from "effect/Layer"
import { AccessRepository } from "../access/AccessRepository.ts"
import { AccountRepository } from "../accounts/AccountRepository.ts"
import { BucketRepository } from "../buckets/BucketRepository.ts"
import { RemovalRepository } from "../buckets/RemovalRepository.ts"
import { CaptionRepository } from "../captions/CaptionRepository.ts"
import { ConversionRepository } from "../conversions/ConversionRepository.ts"
import { DeploymentRepository } from "../deployment/DeploymentRepository.ts"
import { EventRepository } from "../events/EventRepository.ts"
import { FileRepository } from "../files/FileRepository.ts"
import { HookTaskRepository } from "../files/hooks/HookTaskRepository.ts"
import { ShareRepository } from "../files/shares/ShareRepository.ts"
import { FolderRepository } from "../folders/FolderRepository.ts"
import type { Metadata } from "../Holdfast.ts"
import { DamageRepository } from "../integrity/DamageRepository.ts"
import { ScrubRepository } from "../integrity/ScrubRepository.ts"
import { MemberRepository } from "../members/MemberRepository.ts"
import { MirrorRepository } from "../mirrors/MirrorRepository.ts"
import { MirrorTaskRepository } from "../mirrors/worker/MirrorTaskRepository.ts"
import { PosterRepository } from "../posters/PosterRepository.ts"
import { QuotaRepository } from "../quotas/QuotaRepository.ts"
import { BlobRepository } from "../storage/BlobRepository.ts"
import { BlobStore } from "../storage/BlobStore.ts"
import { TenantRepository } from "../tenants/TenantRepository.ts"
import { TokenRepository } from "../tokens/TokenRepository.ts"
import type { Transcoder } from "../transcoding/Transcoder.ts"
import { UploadRepository } from "../uploads/UploadRepository.ts"
import { UsageRepository } from "../usage/UsageRepository.ts"
import { DeliveryRepository } from "../webhooks/DeliveryRepository.ts"
import { WebhookRepository } from "../webhooks/WebhookRepository.ts"
import * as ConversionMetrics from "./ConversionMetrics.ts"
import * as IntegrityMetrics from "./IntegrityMetrics.ts"
import * as MirrorMetrics from "./MirrorMetrics.ts"
import * as PortMetrics from "./PortMetrics.ts"
import * as StorageMetrics from "./StorageMetrics.ts"
import * as WebhookMetrics from "./WebhookMetrics.ts"

/** Replaces the ports. The services have to be built over the replaced ones. */
export const layer: Layer.Layer<Metadata | BlobStore | Transcoder, never, Metadata | BlobStore | Transcoder> =
  Layer.mergeAll(
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
