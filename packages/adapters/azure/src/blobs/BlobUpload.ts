/**
 * Uploads a blob: the method `put` of BlobStore.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as AzureErrors from "../AzureErrors.ts"
import * as Upload from "../uploads/Upload.ts"
import * as BlobObjects from "./BlobObjects.ts"

/** Removes a blob that must not stay. When that fails the blob remains until it is swept, and the log says so. */
const undo = (keyspace: BlobObjects.Keyspace, key: string): Effect.Effect<void> =>
  Effect.catch(BlobObjects.drop(keyspace, key), ({ kind, status }) =>
    Effect.logWarning("blob of a failed upload not removed", { key, reason: kind, status })
  )

/**
 * Implements the port's `put`. When an upload is interrupted after the service has made the blob visible, the blob is
 * removed again. A blob that it replaced is then gone, too.
 */
export const put = <E, R>(
  keyspace: BlobObjects.Keyspace,
  sizes: Upload.PartSizes,
  key: string,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<BlobReceipt, BlobError.BlobError | E, R> =>
  BlobObjects.nameOf(keyspace, key).pipe(
    Effect.flatMap((name) =>
      Upload.upload(keyspace.connection, { ...sizes, name, undo: () => undo(keyspace, key) }, content)
    ),
    Effect.map(({ content: { digests: sha256, size } }) => ({ size, sha256 })),
    AzureErrors.mapFailure(AzureErrors.toBlobError("put"))
  )
