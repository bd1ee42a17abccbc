/**
 * The upload of a blob.
 */
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Connection from "../client/Connection.ts"
import type { GcsFailure } from "../GcsFailure.ts"
import * as Upload from "../uploads/Upload.ts"

/**
 * Uploads a blob. When the upload is interrupted after the service has made the blob visible, the blob is removed
 * again. A blob that it replaced is then gone, too.
 */
export const put = <E, R>(
  connection: Connection.Connection,
  partBytes: number,
  name: string,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<BlobReceipt, GcsFailure | E, R> => {
  const settings: Upload.Settings = {
    partBytes,
    name,
    fields: { contentType: "application/octet-stream" },
    undo: (stored) => Upload.removeStored(connection, stored)
  }
  return Effect.map(Upload.upload(connection, settings, content), ({ content: { digests, size } }) => ({
    size,
    sha256: digests.sha256
  }))
}
