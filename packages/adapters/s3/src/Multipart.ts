/**
 * A content in parts: nothing of it is visible before they are complete.
 */
import type { CompletedPart } from "@aws-sdk/client-s3"
import type * as BlobError from "@holdfast/core/storage/BlobError"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as Assembly from "./Assembly.ts"
import type * as Connection from "./Connection.ts"
import * as S3Errors from "./S3Errors.ts"

/** S3's limit. */
const maxParts = 10_000

/** An upload that has begun. */
export interface Upload {
  readonly Bucket: string
  readonly Key: string
  readonly UploadId: string
}

export const begin = (
  connection: Connection.Connection,
  target: { readonly Bucket: string; readonly Key: string }
): Effect.Effect<Upload, BlobError.BlobError> =>
  connection
    .call("put", (client, sdk, options) => client.send(new sdk.CreateMultipartUploadCommand(target), options))
    .pipe(
      Effect.flatMap(({ UploadId }) =>
        UploadId === undefined
          ? Effect.fail(S3Errors.unexpected("put", "the service gave no id for an upload"))
          : Effect.succeed({ ...target, UploadId })
      )
    )

const send = (
  connection: Connection.Connection,
  upload: Upload,
  { bytes, md5, number }: Assembly.Part
): Effect.Effect<CompletedPart, BlobError.BlobError> => {
  if (number > maxParts) return Effect.fail(S3Errors.tooLarge(`a content has more than ${maxParts} parts`))
  const input = { ...upload, PartNumber: number, Body: bytes, ContentLength: bytes.byteLength, ContentMD5: md5 }
  return connection
    .call("put", (client, sdk, options) => client.send(new sdk.UploadPartCommand(input), options))
    .pipe(
      Effect.flatMap(({ ETag }) =>
        ETag === undefined
          ? Effect.fail(S3Errors.unexpected("put", "the service gave no entity tag for a part"))
          : Effect.succeed({ PartNumber: number, ETag })
      )
    )
}

/**
 * Sends all parts, the first of which is in `memory` already, and gives what completes the upload. Each of `concurrency`
 * workers has memory for one part: it waits for its turn to fill it, and sends it while another one fills.
 */
export const sendAll = <E, R>(
  connection: Connection.Connection,
  upload: Upload,
  assembly: Assembly.Assembly<E, R>,
  first: { readonly part: Assembly.Part; readonly memory: Assembly.Memory },
  others: ReadonlyArray<Assembly.Memory>
): Effect.Effect<ReadonlyArray<CompletedPart>, BlobError.BlobError | E, R> => {
  const turn = Semaphore.makeUnsafe(1)
  const sent: Array<CompletedPart> = []
  const worker = Effect.fnUntraced(function* (memory: Assembly.Memory, begun: Assembly.Part | undefined) {
    let part = begun ?? (yield* turn.withPermits(1)(assembly.next(memory)))
    while (part !== undefined) {
      sent.push(yield* send(connection, upload, part))
      part = yield* turn.withPermits(1)(assembly.next(memory))
    }
  })
  return Effect.all([worker(first.memory, first.part), ...others.map((memory) => worker(memory, undefined))], {
    concurrency: "unbounded",
    discard: true
  }).pipe(Effect.map(() => sent.toSorted((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0))))
}

/** Makes the blob visible. What the service says of its entity tag differs too much to rely on: some leave it empty. */
export const complete = (
  connection: Connection.Connection,
  { Bucket, Key, UploadId }: Upload,
  parts: ReadonlyArray<CompletedPart>
): Effect.Effect<void, BlobError.BlobError> =>
  Effect.asVoid(
    connection.call("put", (client, sdk, options) =>
      client.send(
        new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: [...parts] } }),
        options
      )
    )
  )

const isGone = ({ cause }: BlobError.BlobError): boolean => cause instanceof Error && cause.name === "NoSuchUpload"

/** Forgets an upload and its parts. One that is gone already is a success. */
export const abort = (connection: Connection.Connection, upload: Upload): Effect.Effect<void, BlobError.BlobError> =>
  connection
    .call("put", (client, sdk, options) => client.send(new sdk.AbortMultipartUploadCommand(upload), options))
    .pipe(
      Effect.asVoid,
      Effect.catchIf(isGone, () => Effect.void)
    )
