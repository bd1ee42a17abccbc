/**
 * The standalone service, put together from what a configuration says.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as MirrorWorker from "@holdfast/core/mirrors/worker/MirrorWorker"
import * as Settings from "@holdfast/core/Settings"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Sweeper from "@holdfast/core/storage/Sweeper"
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as ApiRoutes from "../../handlers/ApiRoutes.ts"
import * as PlayerRoutes from "../../handlers/PlayerRoutes.ts"
import * as ContentHandlers from "../../handlers/ContentHandlers.ts"
import * as BodySource from "../../transfer/upload/BodySource.ts"
import * as Blobs from "./Blobs.ts"
import type { Config } from "../config/Config.ts"
import * as Core from "./Core.ts"
import * as FirstRun from "../startup/FirstRun.ts"
import * as Handler from "../listener/Handler.ts"
import * as HttpService from "../listener/HttpService.ts"
import * as Metadata from "./Metadata.ts"
import * as MirrorTargets from "./MirrorTargets.ts"
import * as QueueDepthMetrics from "../metrics/QueueDepthMetrics.ts"
import * as ProcessMetrics from "../metrics/ProcessMetrics.ts"
import * as OwnRoutes from "../routes/OwnRoutes.ts"
import * as RouteTag from "../listener/RouteTag.ts"
import * as SecretKey from "../startup/SecretKey.ts"
import * as Telemetry from "../startup/Telemetry.ts"
import * as Video from "./Video.ts"

const routes = Layer.merge(ApiRoutes.layerWith(OwnRoutes.routes), OwnRoutes.layer).pipe(Layer.provide(RouteTag.layer))

/**
 * What must have happened before the first request: uploads and conversions that a former process left are dead where
 * nobody else has the directory with the metadata, and the operator's own key works. What is to be swept is swept beside
 * the requests.
 */
const prepare = (config: Config) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { sweep } = yield* Sweeper.Sweeper
      const blobs = yield* BlobRepository
      const conversions = yield* ConversionRepository
      if (Metadata.isEmbedded(config)) {
        yield* blobs.expire(undefined)
        yield* conversions.expireLeases(yield* DateTime.now)
      }
      yield* FirstRun.ensure(config)
      yield* sweep().pipe(
        Effect.catch((error) => Effect.logWarning("The first sweep did not succeed", error)),
        Effect.forkScoped
      )
    })
  )

/** The lock on the directory first: a second service is told so before it touches the database. */
const ports = (config: Config) => Metadata.layer(config).pipe(Layer.provideMerge(Blobs.layer(config)))

const mirrors = ({ mirrors: concurrency }: Config) =>
  concurrency === 0 ? Layer.empty : MirrorWorker.layer({ concurrency })

const settings = (config: Config) =>
  Layer.mergeAll(
    Layer.succeed(Settings.Settings, {
      ...Settings.defaults,
      maxUploadBytes: config.maxUploadBytes,
      tokensMayCreateTenants: config.tokensMayCreateTenants,
      allowEternalTokens: config.allowEternalTokens,
      accessCache: config.accessCache,
      blobGrace: config.blobGrace,
      playbackLifetime: config.playbackLifetime
    }),
    Layer.succeed(PlayerRoutes.FrameAncestors, config.frameAncestors.join(" ")),
    Layer.succeed(ContentHandlers.IdleTimeout, config.idleTimeout),
    Layer.succeed(BodySource.IsSoleListener, true),
    Layer.succeed(HttpRouter.RouterConfig, ApiRoutes.routerConfig)
  )

/** One registry of its own for each service, so that two in one process do not mix. */
const registry = Layer.sync(Metric.MetricRegistry, (): Metric.MetricRegistry => new Map())

/** The service, for as long as the layer lives. It listens when the layer is built. */
export const layer = (config: Config, version: string) => {
  const prepared = prepare(config)
  return HttpService.layer(Handler.make(routes), config).pipe(
    Layer.provide([
      prepared,
      Sweeper.layerPeriodic(config.sweepInterval),
      Blobs.layerStaleUploads(config),
      Video.worker(config).pipe(Layer.provide(prepared)),
      mirrors(config),
      ProcessMetrics.layer,
      QueueDepthMetrics.layer({ pushed: config.otlpEndpoint !== undefined })
    ]),
    Layer.provideMerge(Core.layer),
    Layer.provide([
      NodeHttpServer.layerHttpServices,
      ports(config),
      Video.transcoder(config),
      MirrorTargets.layer(config),
      SecretKey.layer(config).pipe(Layer.provide(Core.crypto))
    ]),
    Layer.provide(SecretKey.layerPlayback(config)),
    Layer.provide(settings(config)),
    Layer.provide(Telemetry.layer(config.otlpEndpoint, version)),
    Layer.provide(registry)
  )
}
