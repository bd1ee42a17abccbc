/**
 * The layers that find and repair damaged contents.
 */
import * as DamagedStreams from "@holdfast/core/conversions/DamagedStreams"
import * as SourceCheck from "@holdfast/core/conversions/worker/SourceCheck"
import * as Integrity from "@holdfast/core/integrity/Integrity"
import * as IntegrityWorker from "@holdfast/core/integrity/IntegrityWorker"
import * as Repairs from "@holdfast/core/integrity/Repairs"
import * as Scrubber from "@holdfast/core/integrity/Scrubber"
import * as MirrorCopies from "@holdfast/core/mirrors/worker/MirrorCopies"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import type { Config } from "../config/Config.ts"
import { hasBackgroundWork, type WorkerProcess } from "../workers/WorkerProcess.ts"
import * as NodeContentHasher from "./NodeContentHasher.ts"

/** The checks of contents. */
export const checks = Integrity.layer.pipe(Layer.provide(NodeContentHasher.layer))

/** The checks, repairs and scrubs. */
export const services = Layer.merge(Repairs.layer, Scrubber.layer).pipe(Layer.provideMerge(checks))

/** Compares contents before they are converted. */
export const layerSourceCheck = SourceCheck.layer.pipe(Layer.provide(checks))

/** The share of the time in which the background scrub works: it takes a tenth of a processor and of a disk at most. */
const backgroundShare = 0.1

/**
 * Checks what readers of this process report, repairs what is damaged, and scrubs unless that is switched off or another process does it.
 */
export const layerBackground = (
  { scrubPeriod, scrubRate }: Pick<Config, "scrubPeriod" | "scrubRate">,
  worker?: WorkerProcess
) => {
  const scrubber =
    Duration.isZero(scrubPeriod) || !hasBackgroundWork(worker)
      ? Layer.empty
      : Scrubber.layerPeriodic({ period: scrubPeriod, bytesPerSecond: scrubRate, share: backgroundShare })
  return Layer.merge(IntegrityWorker.layer(), scrubber).pipe(
    Layer.provide(services),
    Layer.provide([MirrorCopies.layer, DamagedStreams.layer])
  )
}
