/**
 * The work of workers, for whose end no request waits. An adapter may run its statements where they delay requests less and take
 * longer.
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { MetadataError } from "./MetadataError.ts"

/** Whether an effect is background work. */
export const IsBackgroundWork = Context.Reference<boolean>("@holdfast/core/BackgroundWork", {
  defaultValue: () => false
})

/** Runs an effect, and the fibers that it forks, as background work. */
export const asBackgroundWork = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(self, IsBackgroundWork, true)

/** What the log messages of a worker say. */
export interface WorkerNames {
  /** The worker, such as "removal worker". */
  readonly worker: string
  /** The message for a failure. */
  readonly failure: string
}

/**
 * Repeats the step of a worker until interrupted. A step returns whether it found work; if not, `idle` runs before the next one. A
 * failure or a defect ends a step, not the worker.
 */
export const repeatStep = <R, R2>(
  step: Effect.Effect<boolean, MetadataError, R>,
  idle: Effect.Effect<unknown, never, R2>,
  names: WorkerNames
): Effect.Effect<never, never, R | R2> =>
  step.pipe(
    Effect.catch(({ reason }) => Effect.as(Effect.annotateLogs(Effect.logWarning(names.failure), { reason }), false)),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError(`defect in the ${names.worker}; it continues`, defect), false)
    ),
    Effect.flatMap((hasWorked) => (hasWorked ? Effect.void : idle)),
    Effect.forever
  )

/** Runs a job while the layer is open: at once, and again `interval` after each end. */
export const layerJob = <R>(
  job: Effect.Effect<unknown, MetadataError, R>,
  interval: Duration.Input,
  names: WorkerNames
): Layer.Layer<never, never, Exclude<R, Scope.Scope>> =>
  Layer.effectDiscard(
    Effect.forkScoped(asBackgroundWork(repeatStep(Effect.as(job, false), Effect.sleep(interval), names)))
  )
