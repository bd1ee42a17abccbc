/**
 * Reading blobs.
 */
import type { BlobDownloadResponseParsed } from "@azure/storage-blob"
import type * as BlobError from "@holdfast/core/storage/BlobError"
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import { exactLength } from "@holdfast/core/storage/ExactLength"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Readable } from "node:stream"
import * as AzureErrors from "./AzureErrors.ts"
import * as AzureFailure from "./AzureFailure.ts"
import * as BlobObjects from "./BlobObjects.ts"

/** Fails where the bytes do not add up, as when the connection was cut. */
const counted = (body: Readable, length: number): Stream.Stream<Uint8Array, AzureFailure.AzureFailure> =>
  exactLength(
    Stream.fromAsyncIterable<Uint8Array, AzureFailure.AzureFailure>(body, AzureFailure.fromBody),
    length,
    (count) => AzureFailure.of("Unavailable", `the service sent ${count} bytes of ${length}`)
  )

/** A body that is cut off while nobody reads it must not end the process. Whoever reads it is told by the reading. */
const listening = (answer: BlobDownloadResponseParsed): BlobDownloadResponseParsed => {
  answer.readableStreamBody?.on("error", () => {})
  return answer
}

/** As the port's `read`. One request serves one reader, so that a blob and its replacement never mix. */
export const read = (
  place: BlobObjects.Place,
  key: string,
  range: ByteRange | undefined
): Stream.Stream<Uint8Array, BlobError.BlobError> =>
  // A range without bytes cannot be spelt.
  (range?.length === 0
    ? Stream.unwrap(Effect.as(BlobObjects.info(place, key), Stream.empty))
    : BlobObjects.nameOf(place, key).pipe(
        Effect.flatMap((name) =>
          place.connection.open((container, abortSignal) =>
            container
              .getBlobClient(name)
              // The SDK would go on with another request where the first one broke off.
              .download(range?.offset, range?.length, { abortSignal, maxRetryRequests: 0 })
              .then(listening)
          )
        ),
        Effect.map(({ contentLength, readableStreamBody }) => {
          if (!(readableStreamBody instanceof Readable) || contentLength === undefined) {
            return Stream.fail(AzureFailure.unexpected("the service sent no body, or not its length"))
          }
          // Shorter when the blob ends before the range does, longer when the service takes no ranges.
          return range !== undefined && contentLength !== range.length
            ? Stream.fail(AzureFailure.unexpected(`the service sends ${contentLength} bytes of ${range.length}`))
            : counted(readableStreamBody, contentLength)
        }),
        Stream.unwrap
      )
  ).pipe(Stream.mapError(AzureErrors.toBlobError("read")))
