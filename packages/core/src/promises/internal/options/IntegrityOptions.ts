/**
 * The layers of `open` that find and repair damaged contents.
 */
import * as Layer from "effect/Layer"
import * as SourceCheck from "../../../conversions/worker/SourceCheck.ts"
import * as Core from "../../../Holdfast.ts"
import { ContentHasher } from "../../../integrity/ContentHasher.ts"
import * as Integrity from "../../../integrity/Integrity.ts"
import * as NativeContentHasher from "../../../integrity/NativeContentHasher.ts"
import type { OpenOptions } from "./OpenOptions.ts"

/** Bytes per second that a scrub reads at most. */
const scrubRate = 16 * 1024 * 1024

/** The hash function; undefined where the runtime has none that takes bytes in parts. Without one nothing is compared. */
const hasher = NativeContentHasher.native && Layer.succeed(ContentHasher, NativeContentHasher.native)

/** Returns the background work. Every process checks what its own readers report; a process that sweeps also scrubs. */
export const worker = ({ scrubEvery = "30 days", sweepEvery }: OpenOptions) => {
  if (hasher === undefined) return Layer.empty
  const scrubs =
    scrubEvery === false || sweepEvery === false ? undefined : { period: scrubEvery, bytesPerSecond: scrubRate }
  return Core.layerIntegrity(scrubs).pipe(Layer.provide(hasher))
}

/** Compares contents before they are converted. */
export const sourceCheck =
  hasher === undefined ? Layer.empty : SourceCheck.layer.pipe(Layer.provide(Integrity.layer), Layer.provide(hasher))
