/**
 * Uploads a blob: the method `put` of BlobStore.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as GcsErrors from "../GcsErrors.ts"
import * as Upload from "../uploads/Upload.ts"
import * as BlobObjects from "./BlobObjects.ts"

/**
 * Implements the port's `put`. When an upload is interrupted after the service has made the blob visible, the blob is
 * removed again. A blob that it replaced is then gone, too.
 */
export const put = <E, R>(
  keyspace: BlobObjects.Keyspace,
  partBytes: number,
  key: string,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<BlobReceipt, BlobError.BlobError | E, R> =>
  BlobObjects.nameOf(keyspace, key).pipe(
    Effect.flatMap((name) =>
      Upload.upload(
        keyspace.connection,
        {
          partBytes,
          name,
          fields: { contentType: "application/octet-stream" },
          undo: (stored) => Upload.removeStored(keyspace.connection, stored)
        },
        content
      )
    ),
    Effect.map(({ content: { digests, size } }) => ({ size, sha256: digests.sha256 })),
    GcsErrors.mapFailure(GcsErrors.toBlobError("put"))
  )
