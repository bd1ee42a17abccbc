/**
 * The layers that find and repair damaged contents.
 */
import * as SourceCheck from "@holdfast/core/conversions/worker/SourceCheck"
import * as Holdfast from "@holdfast/core/Holdfast"
import * as Integrity from "@holdfast/core/integrity/Integrity"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import type { Config } from "../config/Config.ts"
import { hasBackgroundWork, type WorkerProcess } from "../workers/WorkerProcess.ts"
import * as NodeContentHasher from "./NodeContentHasher.ts"

/** The checks of contents. */
export const checks = Integrity.layer.pipe(Layer.provide(NodeContentHasher.layer))

/** The checks, repairs and scrubs. */
export const services = Holdfast.integrity.pipe(Layer.provide(NodeContentHasher.layer))

/** Compares contents before they are converted. */
export const layerSourceCheck = SourceCheck.layer.pipe(Layer.provide(checks))

/**
 * Checks what readers of this process report, repairs what is damaged, and scrubs unless that is switched off or another process does it.
 */
export const layerBackground = (
  { scrubPeriod: period, scrubRate: bytesPerSecond }: Pick<Config, "scrubPeriod" | "scrubRate">,
  worker?: WorkerProcess
) =>
  Holdfast.layerIntegrity(
    Duration.isZero(period) || !hasBackgroundWork(worker) ? undefined : { period, bytesPerSecond }
  ).pipe(Layer.provide(NodeContentHasher.layer))
