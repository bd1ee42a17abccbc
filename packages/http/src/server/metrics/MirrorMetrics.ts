/**
 * What becomes of files on their way to mirrors.
 */
import { MirrorTaskRepository } from "@holdfast/core/mirrors/worker/MirrorTaskRepository"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

const copied = counter("holdfast_mirrors_copied_total", "Files that this node brought to what they are, at a mirror.")
const failed = counter("holdfast_mirrors_failed_total", "Tries to do so that failed, to be repeated.")
const troubled = counter("holdfast_mirrors_troubled_total", "Failures of a mirror's target as a whole.")
const synced = counter("holdfast_mirrors_synced_total", "Comparisons of a target with its bucket that were finished.")

/** Counts what the worker of this process does. */
export const layerTasks: Layer.Layer<MirrorTaskRepository, never, MirrorTaskRepository> = Layer.effect(
  MirrorTaskRepository,
  Effect.map(MirrorTaskRepository, (tasks) =>
    MirrorTaskRepository.of({
      ...tasks,
      complete: (outcomes, at) =>
        Effect.tap(tasks.complete(outcomes, at), () => {
          const failures = outcomes.filter(({ failure }) => failure !== null).length
          return Effect.andThen(Metric.update(copied, outcomes.length - failures), Metric.update(failed, failures))
        }),
      fail: (...step) => Effect.tap(tasks.fail(...step), () => Metric.update(troubled, 1)),
      completeReconciliation: (sync, isComplete, at) =>
        Effect.tap(tasks.completeReconciliation(sync, isComplete, at), () =>
          isComplete ? Metric.update(synced, 1) : Effect.void
        )
    })
  )
)
