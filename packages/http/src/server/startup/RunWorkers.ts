/**
 * Runs the service in several processes: this one supervises them, and holds the lock of the data directory.
 */
import * as MetricRegistries from "@holdfast/core/metrics/MetricRegistries"
import * as StoreClock from "@holdfast/sql/StoreClock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { uptime } from "node:os"
import * as BlobStoreLayer from "../compose/BlobStoreLayer.ts"
import * as MetadataLayer from "../compose/MetadataLayer.ts"
import type { Config } from "../config/Config.ts"
import * as ProcessMetrics from "../../operator/ProcessMetrics.ts"
import * as Logging from "./Logging.ts"
import * as Supervisor from "./Supervisor.ts"
import * as UnknownVariables from "./UnknownVariables.ts"

/** How much longer a process may take to stop than its requests. */
const stopMargin = Duration.seconds(15)

/** The time that the processes start with, unless they have that of a server. */
const layerTime = (config: Config): Layer.Layer<never> =>
  MetadataLayer.isEmbedded(config) ? StoreClock.layerMachine({ uptime }) : Layer.empty

/** Runs until interrupted. */
export const run = (config: Config) =>
  Effect.andThen(
    UnknownVariables.warn(process.env),
    Supervisor.run({
      count: config.workers,
      stopTimeout: Duration.sum(Duration.sum(config.drainDelay, config.shutdownTimeout), stopMargin)
    })
  ).pipe(
    Effect.provide(
      ProcessMetrics.layer.pipe(
        Layer.provideMerge(MetricRegistries.layer),
        Layer.merge(BlobStoreLayer.layerLock(config)),
        Layer.merge(layerTime(config)),
        Layer.provideMerge(Logging.layer(config))
      )
    )
  )
