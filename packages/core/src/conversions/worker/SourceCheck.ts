/**
 * Compares what is converted with its record, so that no stream is made of damaged bytes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { MetadataError } from "../../MetadataError.ts"
import type { BlobError } from "../../storage/BlobError.ts"

/** Reads a blob and compares it with its record. Returns whether it is intact. */
export type SourceCheck = (blobId: string) => Effect.Effect<boolean, BlobError | MetadataError>

/** By default nothing is compared. */
export const SourceCheck = Context.Reference<SourceCheck>("@holdfast/core/conversions/worker/SourceCheck", {
  defaultValue: () => () => Effect.succeed(true)
})
