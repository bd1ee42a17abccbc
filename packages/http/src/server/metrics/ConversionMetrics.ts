/**
 * What becomes of conversions.
 */
import { ConversionRepository } from "@holdfast/core/conversions/ConversionRepository"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Stream from "effect/Stream"

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

const claimed = counter("holdfast_conversions_claimed_total", "Conversions that a worker of this node took.")
const finished = counter("holdfast_conversions_finished_total", "Conversions that became READY here.")
const released = counter("holdfast_conversions_released_total", "Conversions that were given back, to be tried again.")
const running = Metric.gauge("holdfast_conversions_running", { description: "Conversions that run here." })

const failed = (code: string) =>
  Metric.counter("holdfast_conversions_failed_total", {
    description: "Conversions that became FAILED here.",
    incremental: true,
    attributes: { code }
  })

/** Counts what the workers of this process do. */
export const layerRepository: Layer.Layer<ConversionRepository, never, ConversionRepository> = Layer.effect(
  ConversionRepository,
  Effect.map(ConversionRepository, (repository) =>
    ConversionRepository.of({
      ...repository,
      claim: (terms) =>
        Effect.tap(repository.claim(terms), ({ _tag }) => (_tag === "Some" ? Metric.update(claimed, 1) : Effect.void)),
      publish: (claim, publication) =>
        Effect.tap(repository.publish(claim, publication), () =>
          publication.isFinished ? Metric.update(finished, 1) : Effect.void
        ),
      fail: (claim, failure) =>
        Effect.tap(repository.fail(claim, failure), () => Metric.update(failed(failure.fault.code), 1)),
      release: (claim, terms) => Effect.tap(repository.release(claim, terms), () => Metric.update(released, 1))
    })
  )
)

const counted = <A, E, R>(stream: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.as(
      Effect.acquireRelease(Metric.modify(running, 1), () => Metric.modify(running, -1)),
      stream
    )
  )

/** Counts the conversions that run. */
export const layerTranscoder: Layer.Layer<Transcoder, never, Transcoder> = Layer.effect(
  Transcoder,
  Effect.map(Transcoder, (transcoder) =>
    Transcoder.of({
      ...transcoder,
      convert: (job) => counted(transcoder.convert(job)),
      repackage: (job) => counted(transcoder.repackage(job))
    })
  )
)
