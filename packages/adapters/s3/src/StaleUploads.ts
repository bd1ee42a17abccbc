/**
 * Multipart uploads that nobody will finish: their process died, or a part arrived after the abort.
 */
import type { ListMultipartUploadsCommandInput } from "@aws-sdk/client-s3"
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as BlobKey from "@holdfast/core/storage/BlobKey"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Connection from "./Connection.ts"
import * as Multipart from "./Multipart.ts"
import type * as S3Options from "./S3Options.ts"

interface Pending {
  readonly upload: Multipart.Upload
  /** Epoch milliseconds. */
  readonly begunAt: number
}

const pending = (connection: Connection.Connection): Stream.Stream<Pending, BlobError.BlobError> => {
  const { bucket, prefix } = connection
  const all: ListMultipartUploadsCommandInput = { Bucket: bucket, Prefix: prefix }
  return Stream.paginate<ListMultipartUploadsCommandInput, Pending, BlobError.BlobError>(all, (input) =>
    connection
      .call("sweep", (client, sdk, options) => client.send(new sdk.ListMultipartUploadsCommand(input), options))
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
 * Aborts the store's multipart uploads that began more than `age` ago, and tells how many. The age must be longer than
 * the longest upload takes, since one that is under way then fails. To be run now and then; a lifecycle rule of the
 * bucket (AbortIncompleteMultipartUpload) does the same where the service has them.
 */
export const sweep = (options: S3Options.Options, age: Duration.Input): Effect.Effect<number, BlobError.BlobError> =>
  Effect.gen(function* () {
    const connection = yield* Connection.make(options)
    const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(age)
    return yield* pending(connection).pipe(
      Stream.filter(({ begunAt }) => begunAt < before),
      Stream.mapEffect(({ upload }) => Multipart.abort(connection, "put", upload)),
      Stream.runCount
    )
  }).pipe(Effect.scoped)
