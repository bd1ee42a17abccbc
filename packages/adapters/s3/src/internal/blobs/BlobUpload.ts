/**
 * The upload of a blob.
 */
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Connection from "../client/Connection.ts"
import * as S3Failure from "../S3Failure.ts"
import * as Upload from "../uploads/Upload.ts"
import * as BlobObjects from "./BlobObjects.ts"

/** Removes an object that must not stay. When that fails the object remains until it is swept, and the log says so. */
const undo = (connection: Connection.Connection, name: string): Effect.Effect<void> =>
  Effect.catch(BlobObjects.remove(connection, name), ({ kind, status }) =>
    Effect.logWarning("blob of a failed upload not removed", { name, reason: kind, status })
  )

/** Checks that the object has all bytes: the last chance to notice that a service has lost some of its parts. */
const confirmSize = (connection: Connection.Connection, name: string, size: number) =>
  Effect.filterOrFail(
    BlobObjects.head(connection, name),
    (found) => found.size === size,
    () => S3Failure.unexpected("it put the parts of an object together to another size")
  ).pipe(
    Effect.asVoid,
    Effect.onError(() => undo(connection, name))
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
): Effect.Effect<BlobReceipt, S3Failure.S3Failure | E, R> => {
  const settings: Upload.Settings = {
    ...sizes,
    address: { Bucket: connection.bucket, Key: name },
    confirm: (stored, { size }) => (stored === undefined ? confirmSize(connection, name, size) : Effect.void),
    undo: () => undo(connection, name)
  }
  return Effect.map(Upload.upload(connection, settings, content), ({ content: { digests: sha256, size } }) => ({
    size,
    sha256
  }))
}
