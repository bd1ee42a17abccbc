/**
 * Finds the stored segments of which another one is made.
 */
import * as Effect from "effect/Effect"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { ConversionRepository, SharedSegment } from "../ConversionRepository.ts"
import { ContentDamaged } from "../../files/FileErrors.ts"
import * as StoredContent from "../../files/StoredContent.ts"
import type { DamageReports } from "../../integrity/DamageReports.ts"
import type { MetadataError } from "../../MetadataError.ts"
import * as ContentSource from "../../packaging/ContentSource.ts"
import type { Source } from "../../packaging/Source.ts"
import { BlobError } from "../../storage/BlobError.ts"
import type { BlobStore } from "../../storage/BlobStore.ts"

type ReadError = BlobError | ContentDamaged

/** A stored segment, and the access to its bytes. */
export interface StoredPart extends SharedSegment {
  readonly stored: StoredContent.StoredContent
}

/** The segments that are there, by their names. */
export type StoredParts = ReadonlyMap<string, StoredPart>

/** A segment of at most so many bytes is read at once, as most of audio: its index would be a read of its own. */
const keptBytes = 128 * 1024

const toBlobError = (cause: MetadataError): BlobError =>
  new BlobError({ reason: cause.isRetryable ? "Unavailable" : "Internal", operation: cause.operation, cause })

/** Makes what finds segments of a conversion by their names, in one statement. It fails if one of them is known to be damaged. */
export const make =
  (conversions: ConversionRepository["Service"], store: BlobStore["Service"], reports: DamageReports) =>
  (
    { bucketId, tenantId }: BucketRef,
    conversionId: string,
    names: ReadonlyArray<string>
  ): Effect.Effect<StoredParts, ReadError> =>
    (names.length === 0 ? Effect.succeed([]) : conversions.findSegments(conversionId, names)).pipe(
      Effect.mapError(toBlobError),
      Effect.flatMap((found) =>
        found.some(({ damaged }) => damaged) ? Effect.fail(new ContentDamaged()) : Effect.succeed(found)
      ),
      Effect.map(
        (found) =>
          new Map(
            found.map((part) => {
              const { blobId, size } = part
              const stored = StoredContent.make(store, reports, { tenantId, bucketId, blobId, size })
              return [part.name, { ...part, stored }]
            })
          )
      )
    )

/** Returns the bytes of a part. */
export const sourceOf = ({ size, stored }: StoredPart): Source<ReadError> =>
  size <= keptBytes ? ContentSource.makeKept(stored, size) : ContentSource.make(stored, size)

/** Makes what returns the bytes of a part by its name; undefined if it is not there. */
export const sourceIn =
  (found: StoredParts) =>
  (name: string): Source<ReadError> | undefined => {
    const part = found.get(name)
    return part && sourceOf(part)
  }

/** Reports all parts: each of them is checked. Those that cannot be found are not. */
export const reportDamage = (parts: Effect.Effect<StoredParts, ReadError>): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.orElseSucceed(parts, (): StoredParts => new Map()),
    (found) => Effect.forEach(found.values(), ({ stored }) => stored.reportDamage, { discard: true })
  )

/** Succeeds when the store has all parts, with the sizes of their records. */
export const check = (parts: Effect.Effect<StoredParts, ReadError>): Effect.Effect<void, ReadError> =>
  Effect.flatMap(parts, (found) => Effect.forEach(found.values(), ({ stored }) => stored.check, { discard: true }))
