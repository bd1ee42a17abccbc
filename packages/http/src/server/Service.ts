/**
 * The standalone service, put together from what a configuration says.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Settings from "@holdfast/core/Settings"
import { BlobRepository } from "@holdfast/core/storage/BlobRepository"
import * as Sweeper from "@holdfast/core/storage/Sweeper"
import * as FsBlobStore from "@holdfast/fs/FsBlobStore"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as ApiRoutes from "../handlers/ApiRoutes.ts"
import * as Writing from "../handlers/Writing.ts"
import * as Core from "./Core.ts"
import * as FirstRun from "./FirstRun.ts"
import * as Handler from "./Handler.ts"
import * as HttpService from "./HttpService.ts"
import * as Metadata from "./Metadata.ts"
import * as ProcessMetrics from "./metrics/ProcessMetrics.ts"
import * as OwnRoutes from "./OwnRoutes.ts"
import * as RouteTag from "./RouteTag.ts"
import * as Tracing from "./Tracing.ts"

export interface Options {
  readonly places: Metadata.Places
  readonly http: HttpService.Options
  readonly settings: Settings.Settings
  readonly root: FirstRun.Root
  /** How often bytes that no file needs are removed. */
  readonly sweepEvery: Duration.Duration
  /** Where traces go, if anywhere. */
  readonly tracing: { readonly endpoint: string; readonly version: string } | undefined
}

const routes = Layer.merge(ApiRoutes.layerWith(OwnRoutes.routes), OwnRoutes.layer).pipe(Layer.provide(RouteTag.layer))

/**
 * What must have happened before the first request: uploads that a former process left are dead, since nobody else has
 * the directory, and the operator's own key works. What is to be swept is swept beside the requests.
 */
const prepare = (options: Options) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { sweep } = yield* Sweeper.Sweeper
      const blobs = yield* BlobRepository
      if (Metadata.isEmbedded(options.places)) yield* blobs.expire(undefined)
      yield* FirstRun.ensure(options.root)
      yield* sweep().pipe(
        Effect.catch((error) => Effect.logWarning("The first sweep did not succeed", error)),
        Effect.forkScoped
      )
    })
  )

const ports = ({ places }: Options) =>
  // The lock first: a second service is told so before it touches the database.
  Metadata.layer(places).pipe(Layer.provideMerge(FsBlobStore.layer({ directory: places.dataDirectory })))

const observability = ({ tracing }: Options) =>
  Layer.merge(
    Layer.sync(Metric.MetricRegistry, (): Metric.MetricRegistry => new Map()),
    tracing === undefined ? Tracing.disabled : Tracing.layer(tracing.endpoint, tracing.version)
  )

/** The service, for as long as the layer lives. It listens when the layer is built. */
export const layer = (options: Options) =>
  HttpService.layer(Handler.make(routes), options.http).pipe(
    Layer.provide([prepare(options), Sweeper.layerPeriodic(options.sweepEvery), ProcessMetrics.layer]),
    Layer.provideMerge(Core.layer),
    Layer.provide([NodeHttpServer.layerHttpServices, Layer.succeed(HttpRouter.RouterConfig, ApiRoutes.routerConfig), ports(options)]),
    Layer.provide([
      Layer.succeed(Settings.Settings, options.settings),
      Layer.succeed(Writing.IdleTimeout, options.http.idleTimeout)
    ]),
    Layer.provide(observability(options))
  )
