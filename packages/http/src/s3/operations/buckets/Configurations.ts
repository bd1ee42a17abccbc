/**
 * The configurations of buckets and objects that clients read before they work, with the only answer that this server has.
 */
import { FilesByKey } from "@holdfast/core/files/keys/FilesByKey"
import * as Effect from "effect/Effect"
import type { Call } from "../../Call.ts"
import type { Operation } from "../../Operation.ts"
import { type S3Code, S3Error } from "../../S3Error.ts"
import * as S3Response from "../../S3Response.ts"
import * as Unsupported from "../../Unsupported.ts"
import type * as Xml from "../../xml/Xml.ts"
import * as BucketOf from "../BucketOf.ts"
import * as Owner from "../Owner.ts"

/** An operation that answers for each bucket with the same document. */
const answered = (
  name: string,
  parameter: string,
  root: string,
  content: (call: Call) => string | ReadonlyArray<Xml.Element>
): Operation => ({
  name,
  method: "GET",
  target: "bucket",
  query: { [parameter]: true },
  make: Effect.map(
    BucketOf.make,
    (findBucket) => (call) => Effect.map(findBucket(call), () => S3Response.xml(root, content(call)))
  )
})

/** An operation that answers that a bucket has no such configuration. */
const absent = (name: string, parameter: string, code: S3Code): Operation => ({
  name,
  method: "GET",
  target: "bucket",
  query: { [parameter]: true },
  make: Effect.map(
    BucketOf.make,
    (findBucket) => (call) => Effect.andThen(findBucket(call), Effect.fail(S3Error.of(code)))
  )
})

/** An operation that removes a configuration, which no bucket has: it succeeds, as for Amazon S3. */
const removed = (name: string, parameter: string): Operation => ({
  name,
  method: "DELETE",
  target: "bucket",
  query: { [parameter]: true },
  make: Effect.map(
    BucketOf.make,
    (findBucket) => (call) => Effect.as(findBucket(call), S3Response.empty({ status: 204 }))
  )
})

/** An operation that lists the configurations of a kind, of which a bucket has none; one that is named by its id is not found. */
const unlisted = (name: string, parameter: string, root: string): ReadonlyArray<Operation> => [
  answered(`List${name}s`, parameter, root, () => [["IsTruncated", false]]),
  { ...absent(`Get${name}`, parameter, "NoSuchConfiguration"), query: { [parameter]: true, id: true } }
]

/** An operation that answers that the bucket of an object has no object lock. */
const unlocked = (name: string, parameter: string): Operation => ({
  name,
  method: "GET",
  target: "object",
  query: { [parameter]: true },
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const keys = yield* FilesByKey
    return Effect.fnUntraced(function* (call) {
      yield* keys.open(call.actor, yield* findBucket(call), call.key)
      return yield* Unsupported.noObjectLock
    })
  })
})

/** The tenant's keys have the permissions of their members; the protocol can only express full control. */
const accessControl = (call: Call): ReadonlyArray<Xml.Element> => [
  Owner.element(call),
  [
    "AccessControlList",
    [
      [
        "Grant",
        [
          [
            'Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"',
            [
              ["ID", call.tenantId],
              ["DisplayName", call.tenantId]
            ]
          ],
          ["Permission", "FULL_CONTROL"]
        ]
      ]
    ]
  ]
]

const getObjectAcl: Operation = {
  name: "GetObjectAcl",
  method: "GET",
  target: "object",
  query: { acl: true },
  make: Effect.gen(function* () {
    const findBucket = yield* BucketOf.make
    const keys = yield* FilesByKey
    return Effect.fnUntraced(function* (call) {
      yield* keys.open(call.actor, yield* findBucket(call), call.key)
      return S3Response.xml("AccessControlPolicy", accessControl(call))
    })
  })
}

const noGrants = S3Error.of(
  "NotImplemented",
  "Access control lists are not supported, except private. Give members a role, or tokens a scope, instead."
)

/** Accepts the list that every bucket and object has. */
const putAcl = (name: string, target: "bucket" | "object"): Operation => ({
  name,
  method: "PUT",
  target,
  query: { acl: true },
  make: Effect.map(BucketOf.make, (findBucket) => (call) => {
    const { headers } = call
    const isPrivate =
      headers["x-amz-acl"] === "private" && !Object.keys(headers).some((header) => header.startsWith("x-amz-grant-"))
    return Effect.andThen(findBucket(call), isPrivate ? Effect.succeed(S3Response.empty()) : Effect.fail(noGrants))
  })
})

export const configurations: ReadonlyArray<Operation> = [
  // As Amazon S3 does, names the region unless it is the first one.
  answered("GetBucketLocation", "location", "LocationConstraint", ({ region }) =>
    region === "us-east-1" ? [] : region
  ),
  answered("GetBucketVersioning", "versioning", "VersioningConfiguration", () => []),
  answered("GetBucketAcl", "acl", "AccessControlPolicy", accessControl),
  answered("GetBucketRequestPayment", "requestPayment", "RequestPaymentConfiguration", () => [
    ["Payer", "BucketOwner"]
  ]),
  answered("GetBucketAccelerateConfiguration", "accelerate", "AccelerateConfiguration", () => []),
  answered("GetBucketLogging", "logging", "BucketLoggingStatus", () => []),
  answered("GetBucketNotificationConfiguration", "notification", "NotificationConfiguration", () => []),
  absent("GetBucketPolicy", "policy", "NoSuchBucketPolicy"),
  absent("GetBucketCors", "cors", "NoSuchCORSConfiguration"),
  absent("GetBucketLifecycleConfiguration", "lifecycle", "NoSuchLifecycleConfiguration"),
  absent("GetBucketEncryption", "encryption", "ServerSideEncryptionConfigurationNotFoundError"),
  absent("GetBucketReplication", "replication", "ReplicationConfigurationNotFoundError"),
  absent("GetBucketTagging", "tagging", "NoSuchTagSet"),
  absent("GetBucketWebsite", "website", "NoSuchWebsiteConfiguration"),
  absent("GetObjectLockConfiguration", "object-lock", "ObjectLockConfigurationNotFoundError"),
  absent("GetPublicAccessBlock", "publicAccessBlock", "NoSuchPublicAccessBlockConfiguration"),
  absent("GetBucketOwnershipControls", "ownershipControls", "OwnershipControlsNotFoundError"),
  absent("GetBucketPolicyStatus", "policyStatus", "NoSuchBucketPolicy"),
  ...unlisted("BucketAnalyticsConfiguration", "analytics", "ListBucketAnalyticsConfigurationResult"),
  ...unlisted(
    "BucketIntelligentTieringConfiguration",
    "intelligent-tiering",
    "ListBucketIntelligentTieringConfigurationsOutput"
  ),
  ...unlisted("BucketInventoryConfiguration", "inventory", "ListInventoryConfigurationsResult"),
  ...unlisted("BucketMetricsConfiguration", "metrics", "ListMetricsConfigurationsResult"),
  removed("DeleteBucketPolicy", "policy"),
  removed("DeleteBucketCors", "cors"),
  removed("DeleteBucketLifecycle", "lifecycle"),
  removed("DeleteBucketEncryption", "encryption"),
  removed("DeleteBucketReplication", "replication"),
  removed("DeleteBucketTagging", "tagging"),
  removed("DeleteBucketWebsite", "website"),
  removed("DeleteBucketOwnershipControls", "ownershipControls"),
  removed("DeletePublicAccessBlock", "publicAccessBlock"),
  unlocked("GetObjectRetention", "retention"),
  unlocked("GetObjectLegalHold", "legal-hold"),
  getObjectAcl,
  putAcl("PutBucketAcl", "bucket"),
  putAcl("PutObjectAcl", "object")
]
