/**
 * The requests of a multipart upload. Nothing of the object is visible until the upload is completed.
 */
import type { CompletedPart, CreateMultipartUploadCommandInput } from "@aws-sdk/client-s3"
import type { Part } from "@holdfast/core/storage/Chunker"
import * as MultipartUpload from "@holdfast/core/storage/MultipartUpload"
import * as Effect from "effect/Effect"
import type * as Connection from "../client/Connection.ts"
import type { ObjectAddress } from "../client/ObjectAddress.ts"
import * as PayloadHash from "../client/PayloadHash.ts"
import * as S3Failure from "../S3Failure.ts"
import type { PartDigests } from "./ContentDigests.ts"

/** S3's limit. */
export const maxParts = 10_000

/** An upload that has begun. */
export interface Upload extends ObjectAddress {
  readonly UploadId: string
}

/** Begins an upload of an object with these fields. */
export const begin = (
  connection: Connection.Connection,
  input: CreateMultipartUploadCommandInput & ObjectAddress
): Effect.Effect<Upload, S3Failure.S3Failure> =>
  connection
    .call((client, sdk, options) => client.send(new sdk.CreateMultipartUploadCommand(input), options))
    .pipe(
      Effect.flatMap(({ UploadId }) =>
        UploadId === undefined
          ? Effect.fail(S3Failure.unexpected("it returned no id for an upload"))
          : Effect.succeed({ Bucket: input.Bucket, Key: input.Key, UploadId })
      )
    )

/** Returns what `complete` needs of one part. */
export const toCompleted = (
  PartNumber: number,
  ETag: string | undefined
): Effect.Effect<CompletedPart, S3Failure.S3Failure> =>
  ETag === undefined
    ? Effect.fail(S3Failure.unexpected("it returned no entity tag for a part"))
    : Effect.succeed({ PartNumber, ETag })

/** Sends one part. Returns what `complete` needs of it. */
export const sendPart = (
  connection: Connection.Connection,
  upload: Upload,
  { bytes, digests: { md5, sha256 }, index }: Part<PartDigests>
): Effect.Effect<CompletedPart, S3Failure.S3Failure> => {
  if (index >= maxParts) {
    return Effect.fail(S3Failure.make("TooLarge", `The content has more than ${maxParts} parts.`))
  }
  const PartNumber = index + 1
  const input = { ...upload, PartNumber, Body: bytes, ContentLength: bytes.byteLength, ContentMD5: md5 }
  if (sha256 !== undefined) PayloadHash.set(bytes, sha256)
  return connection
    .call((client, sdk, options) => client.send(new sdk.UploadPartCommand(input), options))
    .pipe(Effect.flatMap(({ ETag }) => toCompleted(PartNumber, ETag)))
}

/** Makes the object visible. Ignores the entity tag in the answer: services differ, and some leave it empty. */
export const complete = (
  connection: Connection.Connection,
  { Bucket, Key, UploadId }: Upload,
  parts: ReadonlyArray<CompletedPart>
): Effect.Effect<void, S3Failure.S3Failure> =>
  Effect.asVoid(
    connection.call((client, sdk, options) =>
      client.send(
        new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: [...parts] } }),
        options
      )
    )
  )

/** Discards an upload and its parts. Succeeds when the upload does not exist any more. */
export const abort = (connection: Connection.Connection, upload: Upload): Effect.Effect<void, S3Failure.S3Failure> =>
  connection
    .call((client, sdk, options) => client.send(new sdk.AbortMultipartUploadCommand(upload), options))
    .pipe(
      Effect.asVoid,
      Effect.catchIf(
        ({ code }) => code === "NoSuchUpload",
        () => Effect.void
      )
    )

const timedOut = S3Failure.make("Unavailable", "The service did not abort the upload in time.")

/** Discards an upload that failed. When that fails as well or takes five seconds, its parts remain, and the log says so. */
export const discard = (connection: Connection.Connection, upload: Upload): Effect.Effect<void> =>
  abort(connection, upload).pipe(
    MultipartUpload.boundAbort(timedOut),
    Effect.catch(({ kind, status }) =>
      Effect.logWarning("multipart upload not aborted; its parts remain in the bucket", {
        bucket: connection.bucket,
        reason: kind,
        status
      })
    )
  )
