/**
 * Counters of contents that this node scrubbed, that it found damaged, and of damaged ones that it found intact again.
 */
import { DamageRepository } from "../integrity/DamageRepository.ts"
import { ScrubRepository } from "../integrity/ScrubRepository.ts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Counter from "./Counter.ts"
import * as PortDecorator from "./PortDecorator.ts"

const damaged = (kind: string) =>
  Counter.make("holdfast_contents_damaged_total", "Contents that this node found damaged or missing.", { kind })
const repaired = Counter.make(
  "holdfast_contents_repaired_total",
  "Damaged contents that are intact again: repaired by this node, or found good."
)

const scrubbed = Counter.make("holdfast_scrub_contents_total", "Contents that this node read and compared in scrubs.")
const scrubbedBytes = Counter.make("holdfast_scrub_bytes_total", "Bytes of the contents that this node read in scrubs.")

/** The repository, with counters for what this process finds and repairs. */
export const layerDamage: Layer.Layer<DamageRepository, never, DamageRepository> = PortDecorator.layer(
  DamageRepository,
  (repository) => ({
    ...repository,
    record: (damage) =>
      Effect.tap(repository.record(damage), (isNew) => (isNew ? Metric.update(damaged(damage.kind), 1) : Effect.void)),
    clear: (blobId) =>
      Effect.tap(repository.clear(blobId), ({ wasDamaged }) => (wasDamaged ? Metric.update(repaired, 1) : Effect.void))
  })
)

/** The repository, with counters for what the scrubs of this process read. */
export const layerScrubs: Layer.Layer<ScrubRepository, never, ScrubRepository> = PortDecorator.layer(
  ScrubRepository,
  (repository) => ({
    ...repository,
    save: (progress) =>
      Effect.tap(repository.save(progress), () =>
        Effect.andThen(
          Metric.update(scrubbed, progress.added.blobs),
          Metric.update(scrubbedBytes, progress.added.bytes)
        )
      )
  })
)
