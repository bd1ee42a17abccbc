/**
 * Asking for blobs, reading and removing them.
 */
import * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import type { BlobEntry, BlobInfo, ByteRange } from "@holdfast/core/storage/BlobStore"
import { exactLength } from "@holdfast/core/storage/ExactLength"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Readable } from "node:stream"
import type * as Connection from "./Connection.ts"
import * as S3Errors from "./S3Errors.ts"

/** As `stat`, for a method of another name. */
export const statFor = (
  connection: Connection.Connection,
  operation: string,
  key: string
): Effect.Effect<BlobInfo, BlobError.BlobError> =>
  connection.target(operation, key).pipe(
    Effect.flatMap((target) =>
      connection.call(operation, (client, sdk, options) => client.send(new sdk.HeadObjectCommand(target), options))
    ),
    Effect.flatMap(({ ContentLength }) =>
      ContentLength === undefined
        ? Effect.fail(S3Errors.unexpected(operation, "the service did not tell an object's size"))
        : Effect.succeed({ size: ContentLength })
    )
  )

/** As the port's `stat`. A bucket that is missing cannot be told from a blob: a HEAD has no body to say so. */
export const stat = (connection: Connection.Connection, key: string): Effect.Effect<BlobInfo, BlobError.BlobError> =>
  statFor(connection, "stat", key)

/** Fails where the bytes do not add up, as when the connection was cut. */
const counted = (body: Readable, length: number): Stream.Stream<Uint8Array, BlobError.BlobError> =>
  exactLength(
    Stream.fromAsyncIterable<Uint8Array, BlobError.BlobError>(body, S3Errors.fromSdk("read")),
    length,
    (count) =>
      new BlobError.BlobError({
        reason: "Unavailable",
        operation: "read",
        cause: new Error(`the service sent ${count} bytes of ${length}`)
      })
  )

/** As the port's `read`. One request serves one reader, so that a blob and its replacement never mix. */
export const read = (
  connection: Connection.Connection,
  key: string,
  range: ByteRange | undefined
): Stream.Stream<Uint8Array, BlobError.BlobError> => {
  // A range without bytes cannot be spelt.
  if (range?.length === 0) return Stream.unwrap(Effect.as(statFor(connection, "read", key), Stream.empty))
  const bytes = range === undefined ? undefined : `bytes=${range.offset}-${range.offset + range.length - 1}`
  return connection.target("read", key).pipe(
    Effect.flatMap((target) => connection.open("read", bytes === undefined ? target : { ...target, Range: bytes })),
    Effect.map(({ Body, ContentLength }): Stream.Stream<Uint8Array, BlobError.BlobError> => {
      if (!(Body instanceof Readable) || ContentLength === undefined) {
        return Stream.fail(S3Errors.unexpected("read", "the service sent no body, or not its length"))
      }
      // Shorter when the blob ends before the range does, longer when the service takes no ranges.
      return range !== undefined && ContentLength !== range.length
        ? Stream.fail(S3Errors.unexpected("read", `the service sends ${ContentLength} bytes for ${bytes}`))
        : counted(Body, ContentLength)
    }),
    Stream.unwrap
  )
}

/** As the port's `remove`. */
export const remove = (connection: Connection.Connection, key: string): Effect.Effect<void, BlobError.BlobError> =>
  connection.target("remove", key).pipe(
    Effect.flatMap((target) =>
      connection.call("remove", (client, sdk, options) => client.send(new sdk.DeleteObjectCommand(target), options))
    ),
    Effect.asVoid,
    // S3 itself says nothing about a missing key; some others do.
    Effect.catchIf(
      ({ reason }) => reason === "NotFound",
      () => Effect.void
    )
  )

/** As the port's `list`, a page of up to 1,000 at a time. What is not ours is passed over. */
export const list = (
  connection: Connection.Connection,
  prefix: string
): Stream.Stream<BlobEntry, BlobError.BlobError> => {
  const within = { Bucket: connection.bucket, Prefix: connection.prefix + prefix }
  return Stream.paginate<string | undefined, BlobEntry, BlobError.BlobError>(undefined, (token) =>
    connection
      .call("list", (client, sdk, options) =>
        client.send(
          new sdk.ListObjectsV2Command(token === undefined ? within : { ...within, ContinuationToken: token }),
          options
        )
      )
      .pipe(
        Effect.map(({ Contents = [], NextContinuationToken }) => [
          Contents.flatMap(({ Key = "", Size }) => {
            const key = Key.slice(connection.prefix.length)
            return BlobKey.parse(key) === undefined || Size === undefined ? [] : [{ key, size: Size }]
          }),
          Option.fromNullishOr(NextContinuationToken)
        ])
      )
  )
}

/** As the port's `check`: whether the bucket is there and open to us. */
export const check = (connection: Connection.Connection): Effect.Effect<void, BlobError.BlobError> =>
  connection
    .call("check", (client, sdk, options) =>
      client.send(new sdk.HeadBucketCommand({ Bucket: connection.bucket }), options)
    )
    .pipe(
      Effect.asVoid,
      Effect.catchIf(
        ({ reason }) => reason === "NotFound",
        () => Effect.fail(S3Errors.unexpected("check", "the bucket does not exist"))
      )
    )
