/**
 * Stores the parts of uploads.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { ChecksumMismatch } from "../../files/FileErrors.ts"
import * as Reservation from "../../files/internal/Reservation.ts"
import { Settings } from "../../Settings.ts"
import { BlobRepository } from "../../storage/BlobRepository.ts"
import { BlobStore } from "../../storage/BlobStore.ts"
import * as StagedBlobs from "../../storage/internal/StagedBlobs.ts"
import { StorageRoom } from "../../StorageRoom.ts"
import { LimitsOf, unlimited, within } from "../../usage/UsageLimits.ts"
import { reservesLength, type StoredUpload } from "../Upload.ts"
import { UploadRepository } from "../UploadRepository.ts"

export interface PartOptions {
  /** From 1 to 10,000. */
  readonly number: number
  /** Bytes of the part, if they are known. */
  readonly length?: number | undefined
  /** The SHA-256 that the part must have, hexadecimal. */
  readonly sha256?: string | undefined
  /** Returns the text that is stored with the part, such as its MD5. Evaluated after the bytes were read. */
  readonly tag?: (() => string) | undefined
}

/** Makes the function that stores a part. */
export const make = Effect.gen(function* () {
  const uploads = yield* UploadRepository
  const store = yield* BlobStore
  const blobs = yield* BlobRepository
  const room = yield* StorageRoom
  const limitsOf = yield* LimitsOf
  const stageBlob = yield* StagedBlobs.make
  const { uploadExpiry } = yield* Settings

  /** Stores a part as a blob, and adds it to the upload. Returns undefined, and adds nothing, for a part that must have bytes and has none. */
  return Effect.fnUntraced(function* <E, R>(
    upload: StoredUpload,
    content: Stream.Stream<Uint8Array, E, R>,
    part: {
      readonly at: { readonly offset: number; readonly epoch: number } | { readonly number: number }
      readonly options: Omit<PartOptions, "number">
      readonly mayBeEmpty: boolean
    }
  ) {
    const { at, mayBeEmpty, options } = part
    const { bucketId, id: uploadId, tenantId } = upload
    const bucket = { tenantId, bucketId }
    yield* room.forContent(options.length ?? 0)
    const limits = yield* limitsOf(bucket)
    const { blobId, commit, key } = yield* stageBlob(bucket)
    const { length } = options
    const reservation = Reservation.make(blobs, {
      bucket,
      blobId,
      limits: reservesLength(upload) ? unlimited : limits,
      length,
      replacedBytes:
        upload.replacedFileId === null
          ? undefined
          : Effect.map(uploads.replacedBytes(upload), (bytes) => Math.max(0, bytes - upload.received))
    })
    yield* reservation.declared
    const { sha256, size } = yield* store.put(key, reservation.whileReading(content))
    if (options.sha256 !== undefined && options.sha256 !== sha256) return yield* new ChecksumMismatch()
    if (size === 0 && !mayBeEmpty) return undefined
    const now = yield* DateTime.now
    const stored = { blobId, size, sha256, tag: options.tag?.() ?? null }
    const step = uploads.addPart({
      upload: { ...bucket, uploadId },
      at,
      part: stored,
      now,
      expiresAt: DateTime.addDuration(now, uploadExpiry)
    })
    const changed = yield* commit(within(limits)(step))
    return {
      upload: changed,
      part: { ...stored, number: "number" in at ? at.number : changed.revision, createdAt: now }
    }
  }, Effect.scoped)
})

export type StorePart = Effect.Success<typeof make>
