/**
 * Composes the standalone service from a configuration.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { asBackgroundWork } from "@holdfast/core/BackgroundWork"
import { SharesCounts } from "@holdfast/core/rates/Rates"
import * as Holdfast from "@holdfast/core/Holdfast"
import * as Health from "@holdfast/core/deployment/Health"
import * as StoreIdentity from "@holdfast/core/deployment/StoreIdentity"
import * as MetricRegistries from "@holdfast/core/metrics/MetricRegistries"
import * as QueueDepthMetrics from "@holdfast/core/metrics/QueueDepthMetrics"
import * as Settings from "@holdfast/core/Settings"
import * as DamageReports from "@holdfast/core/integrity/DamageReports"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Sweeper from "@holdfast/core/storage/Sweeper"
import { PosterRepository } from "@holdfast/core/posters/PosterRepository"
import { PublicHosts } from "@holdfast/core/webhooks/WebhookUrl"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as PublicHost from "@holdfast/outbound/PublicHost"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { DeliveryRepository } from "@holdfast/core/webhooks/DeliveryRepository"
import * as Layer from "effect/Layer"
import * as ApiRoutes from "../../handlers/ApiRoutes.ts"
import { IdleTimeout } from "../../handlers/support/IdleTimeout.ts"
import * as DirectAnswers from "../../handlers/DirectAnswers.ts"
import { PublicUrl } from "../../handlers/support/PublicAddress.ts"
import * as PlayerRoutes from "../../handlers/PlayerRoutes.ts"
import { FindClientAddress } from "../../incoming/ClientAddress.ts"
import { IdentityObserver } from "../../incoming/IdentityObserver.ts"
import * as ProcessMetrics from "../../operator/ProcessMetrics.ts"
import * as BodySource from "../../transfer/upload/BodySource.ts"
import type { Config } from "../config/Config.ts"
import * as MatchedRoute from "../listener/MatchedRoute.ts"
import * as ObservedRequest from "../listener/ObservedRequest.ts"
import * as RouterListener from "../listener/RouterListener.ts"
import { MinimumRate } from "../../transfer/MinimumRate.ts"
import * as S3Listener from "../listener/S3Listener.ts"
import * as StandaloneServer from "../listener/StandaloneServer.ts"
import { CurrentWorker, hasBackgroundWork, shareOf, type WorkerProcess } from "../workers/WorkerProcess.ts"
import * as WorkerMetrics from "../metrics/WorkerMetrics.ts"
import * as ServiceRoutes from "../routes/ServiceRoutes.ts"
import * as BlobStoreLayer from "./BlobStoreLayer.ts"
import * as ClockSkew from "./ClockSkew.ts"
import * as ConversionLayer from "./ConversionLayer.ts"
import * as CoreLayer from "./CoreLayer.ts"
import * as DiskLayer from "./DiskLayer.ts"
import * as IntegrityLayer from "./IntegrityLayer.ts"
import * as IncompleteUploads from "./IncompleteUploads.ts"
import * as MetadataLayer from "./MetadataLayer.ts"
import * as QuotaSettings from "./QuotaSettings.ts"
import * as MirrorLayer from "./MirrorLayer.ts"
import * as RootKey from "./RootKey.ts"
import * as SecretKey from "./SecretKey.ts"
import * as SharedRates from "./SharedRates.ts"
import * as Telemetry from "./Telemetry.ts"
import * as WebhookLayer from "./WebhookLayer.ts"

const allRoutes = Layer.merge(ApiRoutes.layerWith(ServiceRoutes.routes), ServiceRoutes.layer).pipe(
  Layer.provide(MatchedRoute.layer)
)
const apiRoutes = ApiRoutes.layer.pipe(Layer.provide(MatchedRoute.layer))
const operatorRoutes = ServiceRoutes.layerAlone.pipe(Layer.provide(MatchedRoute.layer))

/** Contents that are not local files are sent by the router's own writer. */
const direct = Effect.flatMap(BlobStore, ({ capabilities }) =>
  capabilities.localFiles ? DirectAnswers.make : Effect.undefined
)

const layerServer = (config: Config) => {
  const endpoint = { path: config.s3Path, host: config.s3Host, region: config.s3ApiRegion }
  return config.operatorPort === undefined
    ? StandaloneServer.layer(S3Listener.make(RouterListener.make(allRoutes, direct), endpoint), config)
    : StandaloneServer.layer(
        S3Listener.make(RouterListener.make(apiRoutes, direct), endpoint),
        config,
        RouterListener.make(operatorRoutes)
      )
}

/**
 * Runs before the first request: expires the leases of uploads, conversions and webhooks if the metadata are in the data directory
 * (its lock proves that the processes that held the leases have died), and stores the configured root key. The first
 * sweep runs concurrently with requests. A worker process that replaces another one expires no lease of an upload: other processes
 * have uploads, but no conversions and no webhooks.
 */
const layerPrepared = (config: Config, worker: WorkerProcess | undefined) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if (!hasBackgroundWork(worker)) return
      const { sweep } = yield* Sweeper.Sweeper
      const blobs = yield* BlobRepository
      const conversions = yield* ConversionRepository
      const posters = yield* PosterRepository
      const deliveries = yield* DeliveryRepository
      if (MetadataLayer.isEmbedded(config)) {
        if (worker?.isFirst !== false) yield* blobs.expire("all")
        const now = yield* DateTime.now
        yield* conversions.expireLeases(now)
        yield* posters.expireLeases(now)
        yield* deliveries.expireLeases()
      }
      yield* RootKey.storeConfigured(config)
      yield* sweep().pipe(
        Effect.catch((error) => Effect.logWarning("first sweep failed", error)),
        asBackgroundWork,
        Effect.forkScoped
      )
    })
  )

/**
 * The metadata and the blobs. The directory is locked first, so that a second service fails before it opens the
 * database. Nothing uses them unless the store belongs to the database.
 */
const layerStores = (config: Config, worker: WorkerProcess | undefined) =>
  StoreIdentity.layerVerified.pipe(
    Layer.provide(CoreLayer.layerCrypto),
    Layer.provideMerge(MetadataLayer.layer(config, config.startTimeout, worker)),
    Layer.provideMerge(BlobStoreLayer.layer(config, worker))
  )

const layerSettings = (config: Config) =>
  Layer.mergeAll(
    Layer.succeed(Settings.Settings, {
      ...Settings.defaults,
      maxUploadBytes: config.maxUploadBytes,
      tokensMayCreateTenants: config.tokensMayCreateTenants,
      allowEternalTokens: config.allowEternalTokens,
      tokenLifetime: config.tokenLifetime,
      accessCache: config.accessCache,
      blobGrace: config.blobGrace,
      uploadExpiry: config.uploadExpiry,
      playbackLifetime: config.playbackLifetime,
      videoLines: config.videoLines,
      videoLadders: config.videoLadders,
      videoHevc: config.videoHevc,
      videoAv1: config.videoAv1,
      quota: QuotaSettings.fromConfig(config),
      keyRate: config.rateKey,
      tenantRate: config.rateTenant,
      failedAuthenticationRate: config.rateFailedAuthentication,
      publicBuckets: config.publicBuckets,
      anonymousRate: config.rateAnonymous,
      eventRetention: config.eventRetention,
      webhooksAllowPrivate: config.webhooksAllowPrivate
    }),
    Layer.succeed(PublicHosts, PublicHost.isPublic),
    Layer.succeed(PublicUrl, config.publicUrl ?? ""),
    Layer.succeed(PlayerRoutes.FrameAncestors, config.frameAncestors.join(" ")),
    Layer.succeed(IdleTimeout, config.idleTimeout),
    Layer.succeed(MinimumRate, { bytesPerSecond: config.minRate, window: config.minRateWindow }),
    Layer.succeed(BodySource.IsSoleListener, true),
    Layer.succeed(FindClientAddress, (request) => ObservedRequest.find(request)?.remoteAddress),
    Layer.succeed(IdentityObserver, ObservedRequest.recordIdentity),
    Layer.succeed(HttpRouter.RouterConfig, ApiRoutes.routerConfig)
  )

/** What protects the disk that has the contents or the database; nothing where neither is in the data directory. */
const layerDisk = (config: Config) => {
  if (BlobStoreLayer.isStateless(config)) return { background: Layer.empty, room: Layer.empty }
  const hasDatabase = MetadataLayer.isEmbedded(config)
  return {
    background: Layer.mergeAll(
      DiskLayer.layerMetrics(config),
      hasDatabase ? Layer.merge(DiskLayer.layerBallast(config), MetadataLayer.layerMetrics(config)) : Layer.empty
    ),
    room: DiskLayer.layerRoom({ ...config, hasContents: config.blobs === "fs", hasDatabase })
  }
}

/** The work that one process of the service does beside requests. */
const layerBackground = (config: Config, prepared: ReturnType<typeof layerPrepared>) =>
  Layer.mergeAll(
    Holdfast.layerMaintenance({ sweepEvery: config.sweepInterval }),
    IncompleteUploads.layerSweeper(config),
    ConversionLayer.layerWorker(config).pipe(Layer.provide([prepared, IntegrityLayer.layerSourceCheck])),
    MirrorLayer.layerWorker(config),
    WebhookLayer.layerWorker(config).pipe(Layer.provide(prepared)),
    layerDisk(config).background
  )

/**
 * The service, or one of its worker processes. Building the layer starts listening; closing its scope stops the service.
 */
export const layer = (settings: Config, version: string, worker?: WorkerProcess) => {
  const config = shareOf(settings, worker)
  const prepared = layerPrepared(config, worker)
  return layerServer(config).pipe(
    Layer.provide([
      prepared,
      hasBackgroundWork(worker) ? layerBackground(config, prepared) : Layer.empty,
      IntegrityLayer.layerBackground(config, worker),
      Health.layer,
      ProcessMetrics.layer,
      WorkerMetrics.layer,
      SharedRates.layer,
      hasBackgroundWork(worker)
        ? QueueDepthMetrics.layer({ pushed: config.otlpEndpoint !== undefined })
        : QueueDepthMetrics.layerElsewhere
    ]),
    Layer.provide(ClockSkew.layer(config)),
    Layer.provideMerge(CoreLayer.layer),
    Layer.provide([
      NodeHttpServer.layerHttpServices,
      layerStores(config, worker),
      ConversionLayer.layerTranscoder(config),
      MirrorLayer.layerTargets(config),
      SecretKey.layerSecretBox(config).pipe(Layer.provide(CoreLayer.layerCrypto))
    ]),
    Layer.provide(SecretKey.layerSigningSecret(config)),
    Layer.provide(layerSettings(config)),
    Layer.provide([layerDisk(config).room, DamageReports.layer]),
    Layer.provide(Telemetry.layer(config, version, worker)),
    Layer.provide([
      MetricRegistries.layer,
      Layer.succeed(CurrentWorker, worker),
      Layer.succeed(SharesCounts, worker !== undefined)
    ])
  )
}
