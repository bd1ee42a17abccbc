/**
 * A mirror: keeps a copy of a bucket elsewhere, each file under its path and name. The copies follow every change of
 * contents, names, headers and metadata, and every removal; aliases and conversions are not copied.
 */
import * as Schema from "effect/Schema"

/**
 * - `CLOUD_A`: Amazon S3, or a service compatible with it.
 * - `CLOUD_B`: Azure Blob Storage.
 * - `CLOUD_C`: Google Cloud Storage.
 * - `SERVICE`: a bucket of another tenant of this deployment.
 */
export const MirrorType = Schema.Literals(["CLOUD_A", "CLOUD_B", "CLOUD_C", "SERVICE"])
export type MirrorType = typeof MirrorType.Type

/**
 * - `ACTIVE`: files are copied as they change.
 * - `PAUSED`: nothing is copied; what changes meanwhile is copied later.
 * - `FAILING`: the target as a whole refuses or does not answer; it is tried again for ever.
 */
export const MirrorState = Schema.Literals(["ACTIVE", "PAUSED", "FAILING"])
export type MirrorState = typeof MirrorState.Type

/** How far the copies are behind. Zero `pending` is a target that equals the bucket. */
export const MirrorStats = Schema.Struct({
  pending: Schema.Int.annotate({ description: "Files that are still to be copied, or removed at the target." }),
  pendingBytes: Schema.Int.annotate({ description: "Bytes of the files that are still to be copied." }),
  copied: Schema.Int.annotate({ description: "Files that stand at the target as they stand here." }),
  failed: Schema.Int.annotate({ description: "Those of the pending ones whose last try failed." }),
  lagSeconds: Schema.Finite.annotate({ description: "For how long the oldest pending change has waited." }),
  lastError: Schema.NullOr(Schema.String).annotate({ description: "Why the last try failed; null when none did." }),
  comparing: Schema.Boolean.annotate({
    description: "Whether a comparison with the target was asked for that has not ended."
  })
}).annotate({ identifier: "MirrorStats" })
export type MirrorStats = typeof MirrorStats.Type

const common = {
  id: Schema.String,
  name: Schema.String,
  bucketId: Schema.String.annotate({ description: "The bucket that is copied." }),
  state: MirrorState,
  stats: MirrorStats,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString
}

const endpoint = Schema.NullOr(Schema.String)

const S3Mirror = Schema.Struct({
  ...common,
  type: Schema.Literal("CLOUD_A"),
  region: Schema.String,
  bucketName: Schema.String,
  accessKeyId: Schema.String,
  endpoint,
  forcePathStyle: Schema.Boolean
})

const AzureMirror = Schema.Struct({
  ...common,
  type: Schema.Literal("CLOUD_B"),
  accountName: Schema.String,
  containerName: Schema.String,
  endpoint
})

const GcsMirror = Schema.Struct({
  ...common,
  type: Schema.Literal("CLOUD_C"),
  projectId: Schema.String,
  bucketName: Schema.String,
  endpoint
})

const ServiceMirror = Schema.Struct({
  ...common,
  type: Schema.Literal("SERVICE"),
  serviceTenantId: Schema.String,
  serviceBucketId: Schema.String
})

/** The record that callers see. No secret is ever part of it. */
export const Mirror = Schema.Union([S3Mirror, AzureMirror, GcsMirror, ServiceMirror]).annotate({
  identifier: "Mirror"
})
export type Mirror = typeof Mirror.Type

/** - `FAILED`: the last try failed because of this very file; it is tried again for ever. */
export const MirrorFileState = Schema.Literals(["PENDING", "FAILED", "COPIED"])
export type MirrorFileState = typeof MirrorFileState.Type

/** One file as a mirror sees it. */
export const MirrorFile = Schema.Struct({
  fileId: Schema.String,
  path: Schema.NullOr(Schema.String).annotate({ description: "Null when the file is gone and its copy is not, yet." }),
  name: Schema.NullOr(Schema.String),
  state: MirrorFileState,
  error: Schema.NullOr(Schema.String).annotate({ description: "Why the last try failed." }),
  attempts: Schema.Int.annotate({ description: "Tries that have failed since it was last copied." }),
  pendingSince: Schema.NullOr(Schema.DateTimeUtcFromString),
  nextTryAt: Schema.NullOr(Schema.DateTimeUtcFromString)
}).annotate({ identifier: "MirrorFile" })
export type MirrorFile = typeof MirrorFile.Type
