/**
 * Reads a content and compares it with its record.
 */
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as TransferableChunks from "@holdfast/core/storage/TransferableChunks"
import type { SnapshotContent } from "@holdfast/sqlite/MetadataSnapshot"
import * as Data from "effect/Data"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"

/**
 * - `Missing`: the store has no such content.
 * - `WrongSize`: the content has another size than its record.
 * - `Damaged`: the content has the size of its record, but another SHA-256.
 */
export class ContentFault extends Data.TaggedError("ContentFault")<{
  readonly kind: "Missing" | "WrongSize" | "Damaged"
  readonly key: string
}> {}

/** Streams a content. Fails at its end, with a `ContentFault`, unless it is the content of the record. */
export const read = (
  store: BlobStore["Service"],
  { key, sha256, size }: SnapshotContent
): Stream.Stream<Uint8Array, ContentFault | BlobError> =>
  Stream.suspend(() => {
    const hash = createHash("sha256")
    let count = 0
    const check = Stream.suspend(() => {
      if (count !== size) return Stream.fail(new ContentFault({ kind: "WrongSize", key }))
      return hash.digest("hex") === sha256 ? Stream.empty : Stream.fail(new ContentFault({ kind: "Damaged", key }))
    })
    return store.read(key).pipe(
      Stream.mapError((error) => (error.reason === "NotFound" ? new ContentFault({ kind: "Missing", key }) : error)),
      Stream.map((chunk) => {
        hash.update(chunk)
        count += chunk.byteLength
        TransferableChunks.markTransferable(chunk)
        return chunk
      }),
      Stream.concat(check)
    )
  })
