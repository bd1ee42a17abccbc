/**
 * Uploads one content as an object.
 */
import type { PutObjectCommandInput } from "@aws-sdk/client-s3"
import * as MultipartUpload from "@holdfast/core/storage/MultipartUpload"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Connection from "../client/Connection.ts"
import type { ObjectAddress } from "../client/ObjectAddress.ts"
import type * as TraceHeader from "../client/TraceHeader.ts"
import type * as PutObject from "../client/PutObject.ts"
import type { S3Failure } from "../S3Failure.ts"
import type * as S3Options from "../../S3Options.ts"
import * as ContentDigests from "./ContentDigests.ts"
import * as Multipart from "./Multipart.ts"

const mebibyte = 1024 * 1024

/** S3's limit for every part but the last. */
export const minPartBytes = 5 * mebibyte

export interface PartSizes {
  /** Bytes of a part. */
  readonly partBytes: number
  /** How many parts are read or sent at a time. */
  readonly concurrency: number
}

/** Returns the configured sizes, within S3's limits. */
export const partSizes = ({ partBytes = 8 * mebibyte, partConcurrency = 3 }: S3Options.PartOptions): PartSizes => ({
  partBytes: Math.max(minPartBytes, partBytes),
  concurrency: Math.max(1, partConcurrency)
})

/** The headers and metadata of an object, and the trace of a copy. */
export type Fields = Pick<
  PutObjectCommandInput,
  "ContentType" | "CacheControl" | "ContentDisposition" | "ContentEncoding" | "ContentLanguage" | "Metadata"
> &
  TraceHeader.Traced

/** The answer to a put; undefined for an object of parts, whose answers differ between services. */
export type Stored = PutObject.Output | undefined

/** The SHA-256 of the content, hexadecimal, and its size. */
export type Content = MultipartUpload.ContentSummary<string>

export interface Settings extends PartSizes {
  readonly address: ObjectAddress
  readonly fields?: Fields
  /** How many bytes the content is expected to have. */
  readonly expectedBytes?: number
  /** As in `MultipartUpload`. */
  readonly reject?: (content: Content) => S3Failure | undefined
  readonly isInterruptible?: boolean
  readonly confirm?: (stored: Stored, content: Content) => Effect.Effect<void, S3Failure>
  readonly undo?: () => Effect.Effect<void>
}

/** Uploads a content in one request, or in parts if it has at least `partBytes` bytes. */
export const upload = <E, R>(
  connection: Connection.Connection,
  { address, fields, ...settings }: Settings,
  content: Stream.Stream<Uint8Array, E, R>
): Effect.Effect<MultipartUpload.Receipt<Stored, string>, S3Failure | E, R> =>
  MultipartUpload.concurrent(content, {
    ...settings,
    maxWholeBytes: settings.partBytes - 1,
    makeHasher: () => ContentDigests.make(connection.isEncrypted),
    sendWhole: (part, { digests: sha256 }): Effect.Effect<Stored, S3Failure> =>
      connection.put({ ...address, ...fields, Body: part.bytes, ContentMD5: part.digests.md5 }, sha256),
    begin: Multipart.begin(connection, { ...address, ...fields }),
    sendPart: (upload, part) => Multipart.sendPart(connection, upload, part),
    complete: (upload, parts) => Effect.as(Multipart.complete(connection, upload, parts), undefined),
    abort: (upload) => Multipart.discard(connection, upload)
  })
