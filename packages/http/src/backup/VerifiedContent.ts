/**
 * Reads a content and compares it with its record.
 */
import * as ExpectedBytes from "@holdfast/core/integrity/ExpectedBytes"
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import type { DamageKind } from "@holdfast/core/storage/DamageKind"
import * as TransferableChunks from "@holdfast/core/storage/TransferableChunks"
import type { SnapshotContent } from "@holdfast/sqlite/MetadataSnapshot"
import * as Data from "effect/Data"
import * as Stream from "effect/Stream"
import * as NodeContentHasher from "../server/compose/NodeContentHasher.ts"

/** The store has no such content, or not the bytes of its record. */
export class ContentFault extends Data.TaggedError("ContentFault")<{
  readonly kind: DamageKind
  readonly key: string
}> {}

/** Returns what an error says of the content; undefined when the store failed as a whole. */
const kindOf = ({ reason }: BlobError): DamageKind | undefined => {
  if (reason === "NotFound") return "Missing"
  return reason === "Unreadable" ? "Damaged" : undefined
}

/** Streams a content. Fails with a `ContentFault`, at its end at the latest, unless it is the content of the record. */
export const read = (
  store: BlobStore["Service"],
  { key, sha256, size }: SnapshotContent
): Stream.Stream<Uint8Array, ContentFault | BlobError> =>
  store.read(key).pipe(
    Stream.mapError((error) => {
      const kind = kindOf(error)
      return kind === undefined ? error : new ContentFault({ kind, key })
    }),
    ExpectedBytes.verify({
      size,
      sha256,
      makeHash: NodeContentHasher.sha256,
      toError: (kind) => new ContentFault({ kind, key })
    }),
    Stream.map((chunk) => {
      TransferableChunks.markTransferable(chunk)
      return chunk
    })
  )
