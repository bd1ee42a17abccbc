/**
 * The layers that find and repair damaged contents.
 */
import * as Integrity from "@holdfast/core/integrity/Integrity"
import * as IntegrityWorker from "@holdfast/core/integrity/IntegrityWorker"
import * as Repairs from "@holdfast/core/integrity/Repairs"
import * as Layer from "effect/Layer"
import * as NodeContentHasher from "./NodeContentHasher.ts"

/** The checks and repairs. */
export const services = Repairs.layer.pipe(Layer.provideMerge(Integrity.layer), Layer.provide(NodeContentHasher.layer))

/** Checks what readers report, and repairs what is damaged. */
export const layerWorker = IntegrityWorker.layer().pipe(Layer.provide(services))
