/**
 * Blobs of a container: the methods of BlobStore but for `put`.
 */
import type { BlobDownloadResponseParsed } from "@azure/storage-blob"
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import type { BlobEntry, BlobInfo, ByteRange } from "@holdfast/core/storage/BlobStore"
import * as RemoteBody from "@holdfast/core/storage/RemoteBody"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Readable } from "node:stream"
import * as AzureErrors from "../AzureErrors.ts"
import * as AzureFailure from "../AzureFailure.ts"
import type * as Connection from "../client/Connection.ts"
import * as Listing from "../client/Listing.ts"

/** The part of a container that holds a store's blobs. */
export interface Keyspace {
  readonly connection: Connection.Connection
  /** Prefix of every key. */
  readonly prefix: string
}

/** Returns the name of a blob. Fails for a text that is not a `BlobKey`, which the port's callers guarantee. */
export const nameOf = ({ prefix }: Keyspace, key: string): Effect.Effect<string, AzureFailure.AzureFailure> =>
  BlobKey.parse(key) === undefined
    ? Effect.fail(AzureFailure.make("Internal", "The key is not the key of a blob."))
    : Effect.succeed(prefix + key)

/** Requests the size of a blob. */
export const head = (keyspace: Keyspace, key: string): Effect.Effect<BlobInfo, AzureFailure.AzureFailure> =>
  nameOf(keyspace, key).pipe(
    Effect.flatMap((name) =>
      keyspace.connection.call((container, abortSignal) => container.getBlobClient(name).getProperties({ abortSignal }))
    ),
    Effect.flatMap(({ contentLength }) =>
      contentLength === undefined
        ? Effect.fail(AzureFailure.unexpected("it returned no size of a blob"))
        : Effect.succeed({ size: contentLength })
    )
  )

/** Removes a blob and its snapshots. Succeeds for a missing blob. */
export const drop = (keyspace: Keyspace, key: string): Effect.Effect<void, AzureFailure.AzureFailure> =>
  nameOf(keyspace, key).pipe(
    Effect.flatMap((name) =>
      keyspace.connection.call((container, abortSignal) =>
        container.getBlobClient(name).delete({ abortSignal, deleteSnapshots: "include" })
      )
    ),
    Effect.asVoid,
    Effect.catchIf(
      ({ kind }) => kind === "NoObject",
      () => Effect.void
    )
  )

/** Implements the port's `stat`. */
export const stat = (keyspace: Keyspace, key: string): Effect.Effect<BlobInfo, BlobError.BlobError> =>
  Effect.mapError(head(keyspace, key), AzureErrors.toBlobError("stat"))

/** Implements the port's `remove`. */
export const remove = (keyspace: Keyspace, key: string): Effect.Effect<void, BlobError.BlobError> =>
  Effect.mapError(drop(keyspace, key), AzureErrors.toBlobError("remove"))

/** Listens to the errors of a body until it is read: an error without a listener would end the process. */
const withErrorListener = (response: BlobDownloadResponseParsed): BlobDownloadResponseParsed => {
  response.readableStreamBody?.on("error", () => {})
  return response
}

const download = (keyspace: Keyspace, key: string, range: ByteRange | undefined) =>
  nameOf(keyspace, key).pipe(
    Effect.flatMap((name) =>
      keyspace.connection.open((container, abortSignal) =>
        container
          .getBlobClient(name)
          // The SDK would continue a body that was cut by another request.
          .download(range?.offset, range?.length, { abortSignal, maxRetryRequests: 0 })
          .then(withErrorListener)
      )
    ),
    Effect.map(({ contentLength, readableStreamBody }) =>
      RemoteBody.checked({
        body:
          readableStreamBody instanceof Readable
            ? Stream.fromAsyncIterable<Uint8Array, AzureFailure.AzureFailure>(readableStreamBody, AzureFailure.fromBody)
            : undefined,
        contentLength,
        range,
        onUnexpected: AzureFailure.unexpected,
        onCut: (message) => AzureFailure.make("Unavailable", message)
      })
    )
  )

/** Implements the port's `read`. One request serves one reader, so that a blob and its replacement never mix. */
export const read = (
  keyspace: Keyspace,
  key: string,
  range: ByteRange | undefined
): Stream.Stream<Uint8Array, BlobError.BlobError> =>
  // There is no header for a range without bytes.
  (range?.length === 0
    ? Stream.unwrap(Effect.as(head(keyspace, key), Stream.empty))
    : Stream.unwrap(download(keyspace, key, range))
  ).pipe(Stream.mapError(AzureErrors.toBlobError("read")))

/** Implements the port's `list`. Skips what is not a blob of a store. */
export const list = ({ connection, prefix }: Keyspace, within: string): Stream.Stream<BlobEntry, BlobError.BlobError> =>
  Listing.all(connection, prefix + within).pipe(
    Stream.map(({ name, properties }) => ({ key: name.slice(prefix.length), size: properties.contentLength ?? 0 })),
    Stream.filter(({ key }) => BlobKey.parse(key) !== undefined),
    Stream.mapError(AzureErrors.toBlobError("list"))
  )

/** Implements the port's `check`: succeeds when the container exists and may be listed. */
export const check = ({ connection, prefix }: Keyspace): Effect.Effect<void, BlobError.BlobError> =>
  Effect.mapError(Listing.check(connection, prefix), AzureErrors.toBlobError("check"))
