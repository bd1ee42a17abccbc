/**
 * The requests of a store for objects of its bucket.
 */
import type { BlobInfo, ByteRange } from "@holdfast/core/storage/BlobStore"
import type { ListedObject, Response } from "@holdfast/core/storage/RemoteBlobStore"
import * as RemoteBody from "@holdfast/core/storage/RemoteBody"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Readable } from "node:stream"
import type * as Connection from "../client/Connection.ts"
import * as S3Failure from "../S3Failure.ts"

const isMissing = ({ kind }: S3Failure.S3Failure): boolean => kind === "NoObject"

/** Requests the size of an object. A missing bucket looks like a missing object: the answer to a HEAD has no body. */
export const head = (
  { bucket, call }: Connection.Connection,
  name: string
): Effect.Effect<BlobInfo, S3Failure.S3Failure> =>
  Effect.flatMap(
    call((client, sdk, options) => client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: name }), options)),
    ({ ContentLength }) =>
      ContentLength === undefined
        ? Effect.fail(S3Failure.unexpected("it returned no size of an object"))
        : Effect.succeed({ size: ContentLength })
  )

/** Requests the bytes of an object. */
export const open = (
  connection: Connection.Connection,
  name: string,
  range: ByteRange | undefined
): Effect.Effect<Response, S3Failure.S3Failure, Scope.Scope> => {
  const address = { Bucket: connection.bucket, Key: name }
  return Effect.map(
    connection.open(range === undefined ? address : { ...address, Range: RemoteBody.rangeHeader(range) }),
    ({ Body, ContentLength, ContentRange }) => ({
      body: Body instanceof Readable ? Body : undefined,
      contentLength: ContentLength,
      contentRange: ContentRange
    })
  )
}

/** Removes an object. Amazon's S3 answers a missing object with success; some other services do not. */
export const remove = (
  { bucket, call }: Connection.Connection,
  name: string
): Effect.Effect<void, S3Failure.S3Failure> =>
  call((client, sdk, options) => client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: name }), options)).pipe(
    Effect.asVoid,
    Effect.catchIf(isMissing, () => Effect.void)
  )

/** Lists every object whose name begins with the prefix, in pages of up to 1,000. */
export const list = (
  { bucket, call }: Connection.Connection,
  prefix: string
): Stream.Stream<ListedObject, S3Failure.S3Failure> => {
  const input = { Bucket: bucket, Prefix: prefix, MaxKeys: 1000 }
  return Stream.paginate<string | undefined, ListedObject, S3Failure.S3Failure>(undefined, (token) =>
    call((client, sdk, options) =>
      client.send(
        new sdk.ListObjectsV2Command(token === undefined ? input : { ...input, ContinuationToken: token }),
        options
      )
    ).pipe(
      Effect.map(({ Contents = [], NextContinuationToken }) => [
        Contents.flatMap(({ Key, Size }) =>
          Key === undefined || Size === undefined ? [] : [{ name: Key, size: Size }]
        ),
        Option.fromNullishOr(NextContinuationToken)
      ])
    )
  )
}

/** Succeeds when the bucket exists and the credentials permit access. */
export const check = ({ bucket, call }: Connection.Connection): Effect.Effect<void, S3Failure.S3Failure> =>
  call((client, sdk, options) => client.send(new sdk.HeadBucketCommand({ Bucket: bucket }), options)).pipe(
    Effect.asVoid,
    Effect.catchIf(isMissing, () => Effect.fail(S3Failure.make("NoBucket", "The bucket does not exist.")))
  )
