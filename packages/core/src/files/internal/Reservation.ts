/**
 * Reserves the bytes of an upload where a limit on bytes applies, so that an upload that would exceed the limit fails before its bytes
 * are transferred. The commit turns the reservation into use; an upload that fails or whose process dies gives it back.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { NotFound, QuotaExceeded } from "../../Errors.ts"
import type { MetadataError } from "../../MetadataError.ts"
import type { BlobRepository } from "../../storage/BlobRepository.ts"
import { type UsageLimits, within } from "../../usage/UsageLimits.ts"

/**
 * Bytes of a content of unknown length that are received before they are reserved. The reservation never exceeds what was received, so
 * that it refuses no other upload that fits.
 */
const step = 8 * 1024 * 1024

export interface Reservation {
  /** Reserves a declared length. */
  readonly declared: Effect.Effect<void, NotFound | QuotaExceeded | MetadataError>
  /** Reserves the bytes of a content of unknown length while they are received. */
  readonly whileReading: <E, R>(
    content: Stream.Stream<Uint8Array, E, R>
  ) => Stream.Stream<Uint8Array, E | NotFound | QuotaExceeded | MetadataError, R>
}

/** Makes the reservation of an upload. `replacedBytes` need no room: they are given back when the new content is committed. */
export const make = (
  blobs: BlobRepository["Service"],
  upload: {
    readonly bucket: BucketRef
    readonly blobId: string
    readonly limits: UsageLimits
    readonly length: number | undefined
    readonly replacedBytes: Effect.Effect<number, MetadataError> | undefined
  }
): Reservation => {
  const { blobId, bucket, length, limits, replacedBytes = Effect.succeed(0) } = upload
  if (limits.bucket.bytes === null && limits.tenant.bytes === null) {
    return { declared: Effect.void, whileReading: (content) => content }
  }
  const reserve = (received: number) =>
    Effect.flatMap(replacedBytes, (replaced) =>
      received <= replaced ? Effect.void : within(limits)(blobs.reserve({ bucket, blobId, bytes: received - replaced }))
    )
  return {
    declared: length === undefined ? Effect.void : reserve(length),
    whileReading: (content) => {
      if (length !== undefined) return content
      let received = 0
      let reserved = 0
      return Stream.mapArrayEffect(content, (chunks) => {
        for (const chunk of chunks) received += chunk.length
        if (received - reserved < step) return Effect.succeed(chunks)
        reserved = received
        return Effect.as(reserve(received), chunks)
      })
    }
  }
}
