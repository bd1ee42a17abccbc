/**
 * The registry of metrics.
 */
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"

/** A registry of its own for what is built over it, so that the metrics of two services in one process stay apart. */
export const layer: Layer.Layer<never> = Layer.sync(Metric.MetricRegistry, (): Metric.MetricRegistry => new Map())
