/**
 * The object that `x-amz-copy-source` names.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { PreconditionFailed } from "@holdfast/core/Errors"
import type { Download } from "@holdfast/core/files/Downloads"
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Conditionals from "../../../transfer/request/Conditionals.ts"
import type { Call, CallError } from "../../Call.ts"
import { S3Error } from "../../S3Error.ts"
import * as Unsupported from "../../Unsupported.ts"
import * as BucketOf from "../BucketOf.ts"
import * as EntityTag from "../EntityTag.ts"

export interface Source {
  readonly bucket: BucketRef
  readonly key: string
  readonly download: Download
}

const invalid = S3Error.of("InvalidArgument", "The header x-amz-copy-source must be BUCKET/KEY, encoded as in a URL.")

/** The most bytes that one request copies, as for Amazon S3: 5 GiB. The client waits for the copy, which may have to move all of them. */
const maxCopyBytes = 5 * 1024 ** 3

const tooLarge = S3Error.of(
  "InvalidRequest",
  `One request copies at most ${maxCopyBytes} bytes. Copy a larger object in parts (UploadPartCopy).`
)

/** Refuses to copy more bytes than one request may. */
export const checkSize = (bytes: number): Effect.Effect<void, S3Error> =>
  bytes > maxCopyBytes ? Effect.fail(tooLarge) : Effect.void

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Returns the bucket and the key that the header names. */
const parse = (header: string): Effect.Effect<{ readonly bucket: string; readonly key: string }, S3Error> => {
  const [, path = "", versionId] = /^(.*?)(?:\?versionId=(.*))?$/s.exec(header) ?? []
  const refusal = Unsupported.findVersion(versionId)
  if (refusal !== undefined) return Effect.fail(refusal)
  const decoded = decode(path)?.replace(/^\//, "")
  const end = decoded?.indexOf("/") ?? -1
  return decoded === undefined || end < 1 || end === decoded.length - 1 || decoded.includes("\0")
    ? Effect.fail(invalid)
    : Effect.succeed({ bucket: decoded.slice(0, end), key: decoded.slice(end + 1) })
}

/** Returns the conditions on the source as those of a read. */
const conditions = (headers: Call["headers"]): Readonly<Record<string, string | undefined>> => {
  const of = (name: string) => headers[`x-amz-copy-source-${name}`]
  const quoted = (header: string | undefined) => (header === undefined ? undefined : EntityTag.quoted(header))
  return {
    "if-match": quoted(of("if-match")),
    "if-none-match": quoted(of("if-none-match")),
    "if-modified-since": of("if-modified-since"),
    "if-unmodified-since": of("if-unmodified-since")
  }
}

/** Makes the function that opens the source of a call, under its conditions. */
export const make = Effect.gen(function* () {
  const findBucket = yield* BucketOf.make
  const keys = yield* FilesByKey
  return Effect.fnUntraced(function* (call: Call): Effect.fn.Return<Source, CallError> {
    const { headers } = call
    const source = yield* parse(headers["x-amz-copy-source"] ?? "")
    const owner = headers["x-amz-source-expected-bucket-owner"]
    const bucket = yield* findBucket({
      ...call,
      bucket: source.bucket,
      headers: { "x-amz-expected-bucket-owner": owner }
    })
    const download = yield* keys.open(call.actor, bucket, source.key)
    const { etag, storedAt } = download.content
    const validators = { etag: EntityTag.of(etag), lastModified: DateTime.toEpochMillis(storedAt) }
    const outcome = Conditionals.evaluate(conditions(headers), validators, yield* Clock.currentTimeMillis)
    // A copy has no answer 304.
    if (outcome._tag !== "Proceed") return yield* new PreconditionFailed()
    return { bucket, key: source.key, download }
  })
})
