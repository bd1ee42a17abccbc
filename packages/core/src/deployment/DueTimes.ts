/**
 * Makes queued work due, and lets uploads expire, that a clock which was years ahead has postponed: that of a database server, or of a
 * machine with SQLite, before it got the right time. Every node may run it.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { layerJob } from "../BackgroundWork.ts"
import { DeploymentRepository } from "./DeploymentRepository.ts"

/** How often the job runs. */
const interval = Duration.minutes(10)

const correct = Effect.gen(function* () {
  const entries = yield* (yield* DeploymentRepository).bringForward(yield* DateTime.now)
  if (entries > 0) yield* Effect.logWarning("times of queued work were far ahead; brought forward", { entries })
})

/** Runs the job while the layer is open. */
export const layer: Layer.Layer<never, never, DeploymentRepository> = layerJob(correct, interval, {
  worker: "job of due times",
  failure: "due times not checked; will retry"
})
