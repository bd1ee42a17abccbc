/**
 * Compares what is converted with its record, so that no stream is made of damaged bytes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Integrity } from "../../integrity/Integrity.ts"
import * as ReadPace from "../../integrity/ReadPace.ts"
import type { MetadataError } from "../../MetadataError.ts"
import type { BlobError } from "../../storage/BlobError.ts"

/** Reads a blob and compares it with its record. Returns whether it is intact. */
export type SourceCheck = (blobId: string) => Effect.Effect<boolean, BlobError | MetadataError>

/** By default nothing is compared. */
export const SourceCheck = Context.Reference<SourceCheck>("@holdfast/core/conversions/worker/SourceCheck", {
  defaultValue: () => () => Effect.succeed(true)
})

/** Compares contents with their records. */
export const layer: Layer.Layer<never, never, Integrity> = Layer.effect(
  SourceCheck,
  Effect.map(
    Integrity,
    ({ verifyById }): SourceCheck =>
      (blobId) =>
        ReadPace.besideRequests.pipe(
          Effect.flatMap((pace) => verifyById(blobId, pace)),
          Effect.map((kind) => kind === undefined)
        )
  )
)
