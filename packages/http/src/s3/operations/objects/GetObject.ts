/**
 * Reads an object: its content, or ranges of it, and its metadata.
 */
import * as CacheControl from "@holdfast/core/files/CacheControl"
import * as ContentSecurity from "@holdfast/core/files/ContentSecurity"
import type { Download } from "@holdfast/core/files/Downloads"
import { ContentDamaged } from "@holdfast/core/files/FileErrors"
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import * as ContentOf from "../../../handlers/support/ContentOf.ts"
import * as RequestId from "../../../problems/RequestId.ts"
import * as Vary from "../../../problems/Vary.ts"
import * as SendContent from "../../../transfer/response/SendContent.ts"
import { ContentGone } from "../../../transfer/TransferErrors.ts"
import type { Call, CallError, PublicCall } from "../../Call.ts"
import type { Operation } from "../../Operation.ts"
import type { Checksum } from "../../payload/Payload.ts"
import { S3Error } from "../../S3Error.ts"
import * as BucketOf from "../BucketOf.ts"
import * as EntityTag from "../EntityTag.ts"
import * as PartCount from "../multipart/PartCount.ts"
import * as PartNumber from "../multipart/PartNumber.ts"
import * as PartTag from "../multipart/PartTag.ts"
import * as ObjectChecksum from "../ObjectChecksum.ts"
import * as ObjectMetadata from "./ObjectMetadata.ts"

/** The parts of a call that describe how to read an object. */
type Reading = Omit<PublicCall, "bucket">

/** The parameters that replace headers of the answer. A signature covers the query, so that only its key's holder can set them. */
const overrides: ReadonlyArray<readonly [parameter: string, header: string]> = [
  ["response-content-type", "content-type"],
  ["response-content-language", "content-language"],
  ["response-expires", "expires"],
  ["response-cache-control", "cache-control"],
  ["response-content-disposition", "content-disposition"],
  ["response-content-encoding", "content-encoding"]
]

const invalidOverride = S3Error.of("InvalidArgument", "A parameter response-… is not a valid header value.")

/** The directives alone with which no shared cache serves a content without asking this server. */
const isUnshared = (cacheControl: string): boolean => /^(?:no-cache|no-store)$/i.test(cacheControl.trim())

/** Returns the replaced headers. What protects the readers of a content depends on its type as it is sent. */
const overriding = ({ query }: Reading): Effect.Effect<Record<string, string>, S3Error> => {
  const headers: Record<string, string> = {}
  for (const [parameter, header] of overrides) {
    const value = query.get(parameter)
    if (value === undefined) continue
    if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) return Effect.fail(invalidOverride)
    headers[header] = value
  }
  const { "cache-control": cacheControl, "content-type": contentType } = headers
  if (contentType !== undefined) headers["content-security-policy"] = ContentSecurity.policyOf(contentType)
  if (cacheControl !== undefined && !isUnshared(cacheControl)) {
    headers["cache-control"] = CacheControl.forReaders(cacheControl)
  }
  return Effect.succeed(headers)
}

/** Returns the headers that are those of S3 only. A cache cannot store the answer to HEAD, which has the value as it was set. */
const ownHeaders = (call: Reading, { file }: Download): Record<string, string> => {
  const cacheControl = file.headers.find(({ name }) => name.toLowerCase() === "cache-control")
  return {
    ...ObjectMetadata.toHeaders(file),
    ...(call.method === "HEAD" && cacheControl !== undefined ? { "cache-control": cacheControl.value } : undefined)
  }
}

/** The headers with which the answer may be a range, or have no content: a client would compare what it gets with the checksum. */
const partial = ["range", "if-none-match", "if-modified-since"]

/** Whether the client asks for checksums, and the answer has the bytes that they are of. */
const wantsChecksum = ({ headers }: Reading): boolean =>
  headers["x-amz-checksum-mode"]?.toUpperCase() === "ENABLED" && partial.every((name) => headers[name] === undefined)

const rangeOfPart = S3Error.of(
  "InvalidRequest",
  "A request has either the header Range or the parameter partNumber, not both."
)

/** A part of the object, or all of it. */
interface Part {
  /** Where its bytes are; undefined for all of them, as of a request that names no part. */
  readonly bytes?: ByteRange
  readonly headers?: Readonly<Record<string, string>>
  /** That of the bytes; undefined where it is that of the object, or not known. */
  readonly checksum?: Checksum | undefined
}

/** Returns the part of the object that the request names; all of it where the request names none. */
const findPart = Effect.fnUntraced(function* (
  { headers, query }: Reading,
  download: Download
): Effect.fn.Return<Part, CallError> {
  const text = query.get("partNumber")
  if (text === undefined) return {}
  const number = yield* PartNumber.parse(text)
  if (headers["range"] !== undefined) return yield* rangeOfPart
  const {
    content: { size },
    parts
  } = download
  const stated = PartCount.of(download)
  const count = stated ?? 1
  if (number > count) return yield* PartNumber.beyond(number, count)
  const more: Pick<Part, "headers"> =
    stated === undefined ? {} : { headers: { "x-amz-mp-parts-count": String(stated) } }
  // A content that came in pieces by another API is one part.
  if (parts === undefined || count === 1) return { ...more, bytes: { offset: 0, length: size } }
  const found = (yield* Stream.runCollect(Stream.take(parts, number)))[number - 1]
  // Only the last part of an upload may have no bytes, and then it is not stored.
  if (found === undefined) return { ...more, bytes: { offset: size, length: 0 } }
  const { length, offset } = found
  return { ...more, bytes: { offset, length }, checksum: PartTag.read(found).checksum }
})

/** Returns the checksum of what is sent; undefined if it is not known. */
const checksumOf = ({ content }: Download, { bytes, checksum }: Part): ObjectChecksum.ObjectChecksum | undefined => {
  const whole = ObjectChecksum.find(content)
  if (bytes === undefined || bytes.length === content.size) return whole
  return checksum === undefined ? undefined : { ...checksum, type: whole?.type ?? "COMPOSITE" }
}

/** Returns the request for these bytes, with the quotes that some clients leave out of entity tags. */
const toRequest = ({ request }: Reading, { bytes }: Part) => {
  const { headers } = request
  const changed = ["if-match", "if-none-match"].flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, EntityTag.quoted(value)] as [string, string]]
  })
  // No range has no bytes.
  if (bytes !== undefined && bytes.length > 0) {
    changed.push(["range", `bytes=${bytes.offset}-${bytes.offset + bytes.length - 1}`])
  }
  return changed.length === 0 ? request : request.modify({ headers: { ...headers, ...Object.fromEntries(changed) } })
}

/** Sends an object, with these headers besides its own. */
const send = Effect.fnUntraced(function* (
  call: Reading,
  download: Download,
  { isPublic, ...more }: { readonly isPublic: boolean; readonly headers: Readonly<Record<string, string>> }
) {
  const content = {
    ...ContentOf.download(download, undefined, undefined, isPublic),
    etag: EntityTag.of(download.content.etag),
    hasHeadRanges: true
  }
  const part = yield* findPart(call, download)
  const sent = part.bytes?.length === 0 ? { ...content, size: 0 } : content
  return yield* SendContent.send(toRequest(call, part), sent, {
    "x-amz-request-id": call.requestId,
    [RequestId.header]: call.requestId,
    ...(wantsChecksum(call) ? ObjectChecksum.headers(checksumOf(download, part)) : undefined),
    ...part.headers,
    ...more.headers
  })
})

const isGone = (error: unknown): error is ContentGone => error instanceof ContentGone

/** Makes a second attempt, as `ServeContent` does, where the content was replaced after its record was read. */
const retryGone =
  <C, R>(attempt: (call: C) => Effect.Effect<HttpServerResponse.HttpServerResponse, CallError | ContentGone, R>) =>
  (call: C): Effect.Effect<HttpServerResponse.HttpServerResponse, CallError, R> =>
    attempt(call).pipe(
      Effect.catchIf(isGone, () => Effect.catchIf(attempt(call), isGone, () => Effect.fail(new ContentDamaged())))
    )

const make: Operation["make"] = Effect.gen(function* () {
  const findBucket = yield* BucketOf.make
  const keys = yield* FilesByKey
  return retryGone(
    Effect.fnUntraced(function* (call: Call) {
      const bucket = yield* findBucket(call)
      const replaced = yield* overriding(call)
      const download = yield* keys.open(call.actor, bucket, call.key)
      const headers = { ...ownHeaders(call, download), ...replaced }
      const response = yield* send(call, download, { isPublic: false, headers })
      // Programs that copy large objects read HEAD, and would store the default as a header of the copy.
      return call.method === "HEAD" && !Object.hasOwn(headers, "cache-control")
        ? HttpServerResponse.removeHeader(response, "cache-control")
        : response
    })
  )
})

/** Reads without a signature: the answer has no metadata, which the record of the file has for readers with a key. */
const makePublic: Operation["makePublic"] = Effect.map(FilesByKey, (keys) =>
  retryGone(
    Effect.fnUntraced(function* (call: PublicCall) {
      const download = yield* keys.openPublic(call.bucket, call.key)
      return yield* send(call, download, {
        isPublic: true,
        headers: { vary: Vary.join(call.request, "Authorization") }
      })
    })
  )
)

export const getObject: Operation = { name: "GetObject", method: "GET", target: "object", make, makePublic }
export const headObject: Operation = { name: "HeadObject", method: "HEAD", target: "object", make, makePublic }
