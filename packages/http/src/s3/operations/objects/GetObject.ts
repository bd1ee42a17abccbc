/**
 * Reads an object: its content, or ranges of it, and its metadata.
 */
import * as CacheControl from "@holdfast/core/files/CacheControl"
import * as ContentSecurity from "@holdfast/core/files/ContentSecurity"
import type { Download } from "@holdfast/core/files/Downloads"
import { ContentDamaged } from "@holdfast/core/files/FileErrors"
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ContentOf from "../../../handlers/support/ContentOf.ts"
import * as RequestId from "../../../problems/RequestId.ts"
import * as SendContent from "../../../transfer/response/SendContent.ts"
import { ContentGone } from "../../../transfer/TransferErrors.ts"
import type { Call } from "../../Call.ts"
import type { Handle, Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as BucketOf from "../BucketOf.ts"
import * as EntityTag from "../EntityTag.ts"
import * as ObjectMetadata from "./ObjectMetadata.ts"

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
const overriding = ({ query }: Call): Effect.Effect<Record<string, string>, S3Error> => {
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
const ownHeaders = (call: Call, { file }: Download): Record<string, string> => {
  const cacheControl = file.headers.find(({ name }) => name.toLowerCase() === "cache-control")
  return {
    ...ObjectMetadata.toHeaders(file),
    ...(call.method === "HEAD" && cacheControl !== undefined ? { "cache-control": cacheControl.value } : undefined),
    "x-amz-request-id": call.requestId,
    [RequestId.header]: call.requestId
  }
}

/** The headers with which the answer may be a range, or have no content: a client would compare what it gets with the checksum. */
const partial = ["range", "if-none-match", "if-modified-since"]

/** Returns the SHA-256 for a client that asks for checksums. */
const checksum = ({ headers, query }: Call, { content }: Download): Record<string, string> =>
  headers["x-amz-checksum-mode"]?.toUpperCase() !== "ENABLED" ||
  content.sha256 === null ||
  partial.some((name) => headers[name] !== undefined) ||
  query.has("partNumber")
    ? {}
    : {
        "x-amz-checksum-sha256": Buffer.from(content.sha256, "hex").toString("base64"),
        "x-amz-checksum-type": "FULL_OBJECT"
      }

const invalidPart = S3Error.of("InvalidPart")

/** Returns the headers of the request for one part of the object, with the number of the parts; undefined for the whole object. */
const findPart = Effect.fnUntraced(function* ({ query }: Call, { content, parts }: Download) {
  const number = query.get("partNumber")
  if (number === undefined) return undefined
  if (!/^[1-9][0-9]{0,4}$/.test(number)) return yield* invalidPart
  const count = EntityTag.partsOf(EntityTag.of(content.etag)) ?? 1
  const counted =
    EntityTag.partsOf(EntityTag.of(content.etag)) === undefined ? {} : { "x-amz-mp-parts-count": String(count) }
  if (Number(number) > count) return yield* invalidPart
  if (parts === undefined) return { range: undefined, headers: counted }
  const ranges = yield* Stream.runCollect(Stream.take(parts, Number(number)))
  const range = ranges[Number(number) - 1]
  return range === undefined
    ? yield* invalidPart
    : { range: `bytes=${range.offset}-${range.offset + range.length - 1}`, headers: counted }
})

/** Returns the request with the quotes that some clients leave out of entity tags. */
const withQuotes = ({ request }: Call, range: string | undefined) => {
  const { headers } = request
  const changed = ["if-match", "if-none-match"].flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, EntityTag.quoted(value)] as [string, string]]
  })
  if (range !== undefined) changed.push(["range", range])
  return changed.length === 0 ? request : request.modify({ headers: { ...headers, ...Object.fromEntries(changed) } })
}

const read: Operation["make"] = Effect.gen(function* () {
  const findBucket = yield* BucketOf.make
  const keys = yield* FilesByKey

  const attempt = Effect.fnUntraced(function* (call: Call) {
    const bucket = yield* findBucket(call)
    const replaced = yield* overriding(call)
    const download = yield* keys.open(call.actor, bucket, call.key)
    const content = {
      ...ContentOf.download(download, undefined),
      etag: EntityTag.of(download.content.etag)
    }
    const part = yield* findPart(call, download)
    return yield* SendContent.send(withQuotes(call, part?.range), content, {
      ...ownHeaders(call, download),
      ...checksum(call, download),
      ...part?.headers,
      ...replaced
    })
  })

  // A second attempt, as `ServeContent` makes it: the content was replaced after its record was read.
  const handle: Handle = (call) =>
    attempt(call).pipe(
      Effect.catchIf(isGone, () => Effect.catchIf(attempt(call), isGone, () => Effect.fail(new ContentDamaged())))
    )
  return handle
})

const isGone = (error: unknown): error is ContentGone => error instanceof ContentGone

export const getObject: Operation = { name: "GetObject", method: "GET", target: "object", make: read }
export const headObject: Operation = { name: "HeadObject", method: "HEAD", target: "object", make: read }
