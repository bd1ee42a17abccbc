/**
 * The requests of a store for blobs of its container.
 */
import type { BlobDownloadResponseParsed } from "@azure/storage-blob"
import type { BlobInfo, ByteRange } from "@holdfast/core/storage/BlobStore"
import type { ListedObject, Response } from "@holdfast/core/storage/RemoteBlobStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Readable } from "node:stream"
import * as AzureFailure from "../AzureFailure.ts"
import type * as Connection from "../client/Connection.ts"
import * as BlobListing from "../client/BlobListing.ts"

/** Requests the size of a blob. */
export const head = (
  connection: Connection.Connection,
  name: string
): Effect.Effect<BlobInfo, AzureFailure.AzureFailure> =>
  Effect.flatMap(
    connection.call((container, abortSignal) => container.getBlobClient(name).getProperties({ abortSignal })),
    ({ contentLength }) =>
      contentLength === undefined
        ? Effect.fail(AzureFailure.unexpected("it returned no size of a blob"))
        : Effect.succeed({ size: contentLength })
  )

/** Listens to the errors of a body until it is read: an error without a listener would end the process. */
const withErrorListener = (response: BlobDownloadResponseParsed): BlobDownloadResponseParsed => {
  response.readableStreamBody?.on("error", () => {})
  return response
}

/** Requests the bytes of a blob. */
export const open = (
  connection: Connection.Connection,
  name: string,
  range: ByteRange | undefined
): Effect.Effect<Response, AzureFailure.AzureFailure, Scope.Scope> =>
  Effect.map(
    connection.open((container, abortSignal) =>
      container
        .getBlobClient(name)
        // The SDK would continue a body that was cut by another request.
        .download(range?.offset, range?.length, { abortSignal, maxRetryRequests: 0 })
        .then(withErrorListener)
    ),
    ({ contentLength, contentRange, readableStreamBody }) => ({
      body: readableStreamBody instanceof Readable ? readableStreamBody : undefined,
      contentLength,
      contentRange
    })
  )

/** Removes a blob and its snapshots. Succeeds for a missing blob. */
export const remove = (
  connection: Connection.Connection,
  name: string
): Effect.Effect<void, AzureFailure.AzureFailure> =>
  connection
    .call((container, abortSignal) => container.getBlobClient(name).delete({ abortSignal, deleteSnapshots: "include" }))
    .pipe(
      Effect.asVoid,
      Effect.catchIf(
        ({ kind }) => kind === "NoObject",
        () => Effect.void
      )
    )

/** Lists every blob whose name begins with the prefix. */
export const list = (
  connection: Connection.Connection,
  prefix: string
): Stream.Stream<ListedObject, AzureFailure.AzureFailure> =>
  Stream.map(BlobListing.all(connection, prefix), ({ name, size }) => ({ name, size }))
