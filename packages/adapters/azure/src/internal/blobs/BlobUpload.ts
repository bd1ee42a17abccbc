/**
 * The upload of a blob.
 */
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { AzureFailure } from "../AzureFailure.ts"
import type * as Connection from "../client/Connection.ts"
import * as Upload from "../uploads/Upload.ts"
import * as BlobObjects from "./BlobObjects.ts"

/** Removes a blob that must not stay. When that fails the blob remains until it is swept, and the log says so. */
const undo = (connection: Connection.Connection, name: string): Effect.Effect<void> =>
  Effect.catch(BlobObjects.remove(connection, name), ({ kind, status }) =>
    Effect.logWarning("blob of a failed upload not removed", { name, reason: kind, status })
  )

/**
 * Uploads a blob. When the upload is interrupted after the service has made the blob visible, the blob is removed
 * again. A blob that it replaced is then gone, too.
 */
export const put = <E, R>(
  connection: Connection.Connection,
  sizes: Upload.PartSizes,
  name: string,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<BlobReceipt, AzureFailure | E, R> =>
  Effect.map(
    Upload.upload(connection, { ...sizes, name, undo: () => undo(connection, name) }, content),
    ({ content: { digests: sha256, size } }) => ({ size, sha256 })
  )
