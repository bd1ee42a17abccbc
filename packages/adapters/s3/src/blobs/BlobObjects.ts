/**
 * Blobs as objects of a bucket: the methods of BlobStore but for `put`.
 */
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import type { BlobEntry, BlobInfo, ByteRange } from "@holdfast/core/storage/BlobStore"
import * as RemoteBody from "@holdfast/core/storage/RemoteBody"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Readable } from "node:stream"
import type * as Connection from "../client/Connection.ts"
import type { ObjectAddress } from "../client/ObjectAddress.ts"
import * as S3Errors from "../S3Errors.ts"
import * as S3Failure from "../S3Failure.ts"

/** The part of a bucket that holds a store's blobs. */
export interface Keyspace {
  readonly connection: Connection.Connection
  /** Prefix of every key. */
  readonly prefix: string
}

/** Returns the address of a blob. Fails for a text that is not a `BlobKey`, which the port's callers guarantee. */
export const addressOf = (
  { connection, prefix }: Keyspace,
  key: string
): Effect.Effect<ObjectAddress, S3Failure.S3Failure> =>
  BlobKey.parse(key) === undefined
    ? Effect.fail(S3Failure.make("Internal", "The key is not the key of a blob."))
    : Effect.succeed({ Bucket: connection.bucket, Key: prefix + key })

const isMissing = ({ kind }: S3Failure.S3Failure): boolean => kind === "NoObject"

/** Requests the size of a blob. A missing bucket looks like a missing blob: the answer to a HEAD has no body. */
export const head = (keyspace: Keyspace, key: string): Effect.Effect<BlobInfo, S3Failure.S3Failure> =>
  addressOf(keyspace, key).pipe(
    Effect.flatMap((address) =>
      keyspace.connection.call((client, sdk, options) => client.send(new sdk.HeadObjectCommand(address), options))
    ),
    Effect.flatMap(({ ContentLength }) =>
      ContentLength === undefined
        ? Effect.fail(S3Failure.unexpected("it returned no size of an object"))
        : Effect.succeed({ size: ContentLength })
    )
  )

/** Removes a blob. Amazon's S3 answers a missing key with success; some other services do not. */
export const drop = (keyspace: Keyspace, key: string): Effect.Effect<void, S3Failure.S3Failure> =>
  addressOf(keyspace, key).pipe(
    Effect.flatMap((address) =>
      keyspace.connection.call((client, sdk, options) => client.send(new sdk.DeleteObjectCommand(address), options))
    ),
    Effect.asVoid,
    Effect.catchIf(isMissing, () => Effect.void)
  )

/** Implements the port's `stat`. */
export const stat = (keyspace: Keyspace, key: string): Effect.Effect<BlobInfo, BlobError.BlobError> =>
  Effect.mapError(head(keyspace, key), S3Errors.toBlobError("stat"))

/** Implements the port's `remove`. */
export const remove = (keyspace: Keyspace, key: string): Effect.Effect<void, BlobError.BlobError> =>
  Effect.mapError(drop(keyspace, key), S3Errors.toBlobError("remove"))

/** Implements the port's `read`. One request serves one reader, so that a blob and its replacement never mix. */
export const read = (
  keyspace: Keyspace,
  key: string,
  range: ByteRange | undefined
): Stream.Stream<Uint8Array, BlobError.BlobError> => {
  const toError = S3Errors.toBlobError("read")
  // There is no header for a range without bytes.
  if (range?.length === 0) return Stream.unwrap(Effect.as(Effect.mapError(head(keyspace, key), toError), Stream.empty))
  return addressOf(keyspace, key).pipe(
    Effect.flatMap((address) =>
      keyspace.connection.open(range === undefined ? address : { ...address, Range: RemoteBody.rangeHeader(range) })
    ),
    Effect.mapError(toError),
    Effect.map(({ Body, ContentLength }) =>
      RemoteBody.checked({
        body:
          Body instanceof Readable
            ? Stream.fromAsyncIterable<Uint8Array, BlobError.BlobError>(Body, (cause) =>
                toError(S3Failure.fromCause(cause))
              )
            : undefined,
        contentLength: ContentLength,
        range,
        onUnexpected: (message) => toError(S3Failure.unexpected(message)),
        onCut: (message) => toError(S3Failure.make("Unavailable", message))
      })
    ),
    Stream.unwrap
  )
}

/** Implements the port's `list`, in pages of up to 1,000. Skips objects that are not blobs. */
export const list = (
  { connection, prefix }: Keyspace,
  within: string
): Stream.Stream<BlobEntry, BlobError.BlobError> => {
  const input = { Bucket: connection.bucket, Prefix: prefix + within }
  return Stream.paginate<string | undefined, BlobEntry, BlobError.BlobError>(undefined, (token) =>
    connection
      .call((client, sdk, options) =>
        client.send(
          new sdk.ListObjectsV2Command(token === undefined ? input : { ...input, ContinuationToken: token }),
          options
        )
      )
      .pipe(
        Effect.mapError(S3Errors.toBlobError("list")),
        Effect.map(({ Contents = [], NextContinuationToken }) => [
          Contents.flatMap(({ Key = "", Size }) => {
            const key = Key.slice(prefix.length)
            return BlobKey.parse(key) === undefined || Size === undefined ? [] : [{ key, size: Size }]
          }),
          Option.fromNullishOr(NextContinuationToken)
        ])
      )
  )
}

/** Implements the port's `check`: succeeds when the bucket exists and the credentials permit access. */
export const check = ({ connection }: Keyspace): Effect.Effect<void, BlobError.BlobError> =>
  connection
    .call((client, sdk, options) => client.send(new sdk.HeadBucketCommand({ Bucket: connection.bucket }), options))
    .pipe(
      Effect.asVoid,
      Effect.catchIf(isMissing, () => Effect.fail(S3Failure.make("NoBucket", "The bucket does not exist."))),
      Effect.mapError(S3Errors.toBlobError("check"))
    )
