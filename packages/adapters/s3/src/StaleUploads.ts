/**
 * Multipart uploads that will never be completed: their process died, or a part arrived after the abort.
 */
import type { ListMultipartUploadsCommandInput } from "@aws-sdk/client-s3"
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Configuration from "./internal/client/Configuration.ts"
import * as Connection from "./internal/client/Connection.ts"
import * as S3Errors from "./internal/S3Errors.ts"
import type { S3Failure } from "./internal/S3Failure.ts"
import type * as S3Options from "./S3Options.ts"
import * as Multipart from "./internal/uploads/Multipart.ts"

interface Pending {
  readonly upload: Multipart.Upload
  /** Epoch milliseconds. */
  readonly begunAt: number
}

/** Lists the uploads of blobs that have begun and are neither completed nor aborted. */
const listPending = (connection: Connection.Connection, prefix: string): Stream.Stream<Pending, S3Failure> => {
  const { bucket } = connection
  const all: ListMultipartUploadsCommandInput = { Bucket: bucket, Prefix: prefix, MaxUploads: 1000 }
  return Stream.paginate<ListMultipartUploadsCommandInput, Pending, S3Failure>(all, (input) =>
    connection
      .call((client, sdk, options) => client.send(new sdk.ListMultipartUploadsCommand(input), options))
      .pipe(
        Effect.map(({ IsTruncated, NextKeyMarker, NextUploadIdMarker, Uploads = [] }) => [
          Uploads.flatMap(({ Initiated, Key = "", UploadId }) =>
            UploadId === undefined || Initiated === undefined || BlobKey.parse(Key.slice(prefix.length)) === undefined
              ? []
              : [{ upload: { Bucket: bucket, Key, UploadId }, begunAt: Initiated.getTime() }]
          ),
          IsTruncated === true && NextKeyMarker !== undefined
            ? Option.some({ ...all, KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker })
            : Option.none()
        ])
      )
  )
}

/**
 * Aborts the store's multipart uploads that began more than `age` ago. Returns how many. `age` must be longer than the
 * longest upload takes: an upload in progress that is aborted fails. Run it periodically, or use a lifecycle rule of
 * the bucket (AbortIncompleteMultipartUpload) where the service has them.
 */
export const sweep = (options: S3Options.Options, age: Duration.Input): Effect.Effect<number, BlobError.BlobError> =>
  Effect.gen(function* () {
    const connection = yield* Connection.make(Configuration.forStore(options), options.bucket).pipe(
      Effect.mapError(S3Errors.toBlobError("open"))
    )
    const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(age)
    return yield* listPending(connection, options.prefix ?? "").pipe(
      Stream.filter(({ begunAt }) => begunAt < before),
      Stream.mapEffect(({ upload }) => Multipart.abort(connection, upload)),
      Stream.runCount,
      Effect.mapError(S3Errors.toBlobError("sweep"))
    )
  }).pipe(Effect.scoped)
