/**
 * An object's description in the fields of S3's requests.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import type { MirrorObject } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Trace from "@holdfast/core/mirrors/targets/Trace"
import * as Effect from "effect/Effect"
import * as S3Failure from "../S3Failure.ts"
import type { Fields } from "../uploads/Upload.ts"

/** The bucket whose files are copied, where it is known. */
export type Source = Pick<BucketRef, "bucketId"> | undefined

/** The characters of a header's value that arrive as they were signed. */
const printable = /^[\u0020-\u007e]*$/

const tooFar = S3Failure.make(
  "Invalid",
  `The file came over ${Trace.maxBuckets} mirrors, the most that a copy may have passed. Mirror it from a bucket that is nearer to its source.`
)

/**
 * Returns the fields of a request that writes an object. Leaves out empty headers, since S3 does not store them. The trace ends with
 * the bucket `source`.
 */
export const toFields = (
  { description: { metadata, ...description }, formerBucketIds = [], sha256 }: MirrorObject,
  source: Source
): Effect.Effect<Fields, S3Failure.S3Failure> => {
  if (source !== undefined && formerBucketIds.length >= Trace.maxBuckets) return Effect.fail(tooFar)
  const trace = source && Trace.format({ sha256, bucketIds: [...formerBucketIds, source.bucketId] })
  const headers = {
    ContentType: description.contentType,
    CacheControl: description.cacheControl,
    ContentDisposition: description.contentDisposition,
    ContentEncoding: description.contentEncoding,
    ContentLanguage: description.contentLanguage
  }
  const given = Object.entries(headers).filter(([, value]) => value !== undefined && value !== "")
  const invalid = [...given, ...Object.entries(metadata)].find(([, value]) => !printable.test(value ?? ""))
  return invalid === undefined
    ? Effect.succeed({ ...Object.fromEntries(given), Metadata: { ...metadata }, Trace: trace })
    : Effect.fail(S3Failure.make("Invalid", `S3 takes only printable ASCII characters in ${invalid[0]}.`))
}
