/**
 * The port that replaces the streams whose segments are damaged: segments have no copies.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { MetadataError } from "../MetadataError.ts"

/** Queues the conversion again of which a damaged blob is a segment. Returns whether there was one; the blob is not used any more then. */
export type SegmentRepair = (blobId: string) => Effect.Effect<boolean, MetadataError>

/** By default streams stay damaged. */
export const SegmentRepair = Context.Reference<SegmentRepair>("@holdfast/core/integrity/SegmentRepair", {
  defaultValue: () => () => Effect.succeed(false)
})
