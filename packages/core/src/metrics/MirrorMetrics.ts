/**
 * Counters of the mirror tasks and reconciliations that this node completes or fails.
 */
import { MirrorTaskRepository } from "../mirrors/worker/MirrorTaskRepository.ts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Counter from "./Counter.ts"
import * as PortDecorator from "./PortDecorator.ts"

const copied = Counter.make(
  "holdfast_mirrors_copied_total",
  "Mirror tasks that this node completed: files copied, or removed at the target."
)
const failed = Counter.make("holdfast_mirrors_failed_total", "Attempts at mirror tasks that failed and are retried.")
const targetFailures = Counter.make("holdfast_mirrors_troubled_total", "Failures of a mirror's target as a whole.")
const reconciled = Counter.make("holdfast_mirrors_synced_total", "Reconciliations that this node completed.")

/** The repository, with counters for what the worker of this process does. */
export const layerTasks: Layer.Layer<MirrorTaskRepository, never, MirrorTaskRepository> = PortDecorator.layer(
  MirrorTaskRepository,
  (tasks) => ({
    ...tasks,
    complete: (input) =>
      Effect.tap(tasks.complete(input), () => {
        const failures = input.results.filter(({ failure }) => failure !== null).length
        return Effect.andThen(Metric.update(copied, input.results.length - failures), Metric.update(failed, failures))
      }),
    fail: (input) => Effect.tap(tasks.fail(input), () => Metric.update(targetFailures, 1)),
    completeReconciliation: (input) =>
      Effect.tap(tasks.completeReconciliation(input), () =>
        input.isComplete ? Metric.update(reconciled, 1) : Effect.void
      )
  })
)
