/**
 * Counters of the conversions that this node claims, finishes, releases and fails, and a gauge of those that run.
 */
import type { ConversionClaim } from "../conversions/ConversionClaim.ts"
import { ConversionRepository } from "../conversions/ConversionRepository.ts"
import { Transcoder } from "../transcoding/Transcoder.ts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Counter from "./Counter.ts"
import * as PortDecorator from "./PortDecorator.ts"

const claimed = Counter.make("holdfast_conversions_claimed_total", "Conversions that this node claimed.")
const finished = Counter.make("holdfast_conversions_finished_total", "Conversions that became READY on this node.")
const released = Counter.make("holdfast_conversions_released_total", "Conversions that this node released for a retry.")
const running = Metric.gauge("holdfast_conversions_running", {
  description: "Conversions that run or are suspended on this node."
})

const failed = (code: string) =>
  Counter.make("holdfast_conversions_failed_total", "Conversions that became FAILED on this node.", { code })

const isConversion = ({ isLadder }: ConversionClaim): boolean => !isLadder

/** The repository, with counters for what the workers of this process do. */
export const layerRepository: Layer.Layer<ConversionRepository, never, ConversionRepository> = PortDecorator.layer(
  ConversionRepository,
  (repository) => ({
    ...repository,
    claim: (terms) =>
      Effect.tap(repository.claim(terms), (found) =>
        Option.exists(found, isConversion) ? Metric.update(claimed, 1) : Effect.void
      ),
    publish: (claim, publication) =>
      Effect.tap(repository.publish(claim, publication), () =>
        publication.isFinished && !claim.isLadder ? Metric.update(finished, 1) : Effect.void
      ),
    fail: (claim, failure) =>
      Effect.tap(repository.fail(claim, failure), () =>
        claim.isLadder ? Effect.void : Metric.update(failed(failure.fault.code), 1)
      ),
    release: (claim, terms) =>
      Effect.tap(repository.release(claim, terms), () => (claim.isLadder ? Effect.void : Metric.update(released, 1)))
  })
)

/** Counts a conversion as running while its stream is consumed. */
const countRunning = <A, E, R>(stream: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
  Stream.unwrap(
    Effect.as(
      Effect.acquireRelease(Metric.modify(running, 1), () => Metric.modify(running, -1)),
      stream
    )
  )

/** The transcoder, with a gauge of the conversions that run. */
export const layerTranscoder: Layer.Layer<Transcoder, never, Transcoder> = PortDecorator.layer(
  Transcoder,
  (transcoder) => ({
    ...transcoder,
    convert: (job) => countRunning(transcoder.convert(job)),
    repackage: (job) => countRunning(transcoder.repackage(job)),
    ladder: (job) => countRunning(transcoder.ladder(job))
  })
)
