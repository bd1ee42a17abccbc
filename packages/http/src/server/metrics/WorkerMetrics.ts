/**
 * The metrics of a service of several worker processes: each reports its own to the supervisor, and answers with the sum of all.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CollectMetrics } from "../../operator/MetricsRoute.ts"
import { CurrentChannel } from "../workers/WorkerChannel.ts"
import * as MergedMetrics from "./MergedMetrics.ts"

export const layer: Layer.Layer<never> = Layer.effect(
  CollectMetrics,
  Effect.map(CurrentChannel, (channel) => (own: Effect.Effect<string>) => {
    if (channel === undefined) return own
    channel.reportBy(own)
    return Effect.map(channel.collect, MergedMetrics.merge)
  })
)
