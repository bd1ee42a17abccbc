/**
 * Lists, creates, finds and removes buckets.
 */
import type { Bucket } from "@holdfast/core/buckets/Bucket"
import { Buckets } from "@holdfast/core/buckets/Buckets"
import type { Page } from "@holdfast/core/Page"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Operation } from "../../Operation.ts"
import { S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import type * as Xml from "../../xml/Xml.ts"
import * as BucketOf from "../BucketOf.ts"
import * as Owner from "../Owner.ts"

/** The most buckets of one answer, as those of an account without a greater quota. */
const maxBuckets = 10_000
const pageSize = 1000

/** The most pages that are read for one answer. With a prefix, it may have fewer buckets than the client wants, and a token to continue. */
const maxPages = maxBuckets / pageSize

const invalidCount = S3Error.of("InvalidArgument", "The parameter max-buckets must be a whole number from 1 to 10000.")

export const listBuckets: Operation = {
  name: "ListBuckets",
  method: "GET",
  target: "service",
  make: Effect.gen(function* () {
    const buckets = yield* Buckets
    return Effect.fnUntraced(function* (call) {
      const wanted = call.query.get("max-buckets") ?? String(maxBuckets)
      const limit = Number(wanted)
      if (!/^[0-9]{1,5}$/.test(wanted) || limit < 1 || limit > maxBuckets) return yield* invalidCount
      const prefix = call.query.get("prefix") ?? ""
      const found: Array<Bucket> = []
      let cursor: string | null | undefined = call.query.get("continuation-token")
      let pages = 0
      do {
        const request = { limit: Math.min(pageSize, limit - found.length), ...(cursor ? { cursor } : undefined) }
        const page: Page<Bucket> = yield* buckets.list(call.actor, call.tenantId, request)
        found.push(...page.items.filter(({ name }) => name.startsWith(prefix)))
        cursor = page.nextCursor
        pages++
      } while (cursor !== null && found.length < limit && pages < maxPages)
      return S3Response.xml("ListAllMyBucketsResult", [
        Owner.element(call),
        [
          "Buckets",
          found
            .toSorted((one, other) => (one.name < other.name ? -1 : 1))
            .map(({ createdAt, name }): Xml.Element => [
              "Bucket",
              [
                ["Name", name],
                ["CreationDate", DateTime.formatIso(createdAt)]
              ]
            ])
        ],
        ["ContinuationToken", cursor ?? undefined],
        ["Prefix", prefix === "" ? undefined : prefix]
      ])
    })
  })
}

/** The rules of Amazon S3, so that every client can address the bucket by a host name. */
const isValidName = (name: string): boolean =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
  // Each label of a host name begins and ends with a letter or digit (RFC 1123, section 2.1).
  !/\.[.-]|-\./.test(name) &&
  !/^[0-9]+(?:\.[0-9]+){3}$/.test(name)

const invalidName = S3Error.of(
  "InvalidBucketName",
  "The name of a bucket must have 3 to 63 lower-case letters, digits, dots and hyphens. It and each of its parts between dots must begin and end with a letter or digit."
)

export const createBucket: Operation = {
  name: "CreateBucket",
  method: "PUT",
  target: "bucket",
  make: Effect.gen(function* () {
    const buckets = yield* Buckets
    return Effect.fnUntraced(function* ({ actor, bucket: name, tenantId }) {
      if (!isValidName(name)) return yield* invalidName
      // As Amazon S3 answers in us-east-1: programs create their bucket at each start.
      yield* Effect.catchTag(buckets.create(actor, tenantId, { name }), "BucketExists", () => Effect.void)
      return S3Response.empty({ headers: { location: `/${name}` } })
    })
  })
}

export const headBucket: Operation = {
  name: "HeadBucket",
  method: "HEAD",
  target: "bucket",
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    return (call) => Effect.as(findBucket(call), S3Response.empty({ headers: { "x-amz-bucket-region": call.region } }))
  })
}

export const deleteBucket: Operation = {
  name: "DeleteBucket",
  method: "DELETE",
  target: "bucket",
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const buckets = yield* Buckets
    return Effect.fnUntraced(function* (call) {
      const bucket = yield* findBucket(call)
      yield* buckets.remove(call.actor, bucket)
      return S3Response.empty({ status: 204 })
    })
  })
}
