/**
 * The fields that mirrors of every type have.
 */
import * as Schema from "effect/Schema"
import { CreatedBy } from "../../../access/Creator.ts"
import { Label, Reference } from "../../../Text.ts"

/**
 * - `ACTIVE`: files are copied as they change.
 * - `PAUSED`: nothing is copied. What changes meanwhile is copied later.
 * - `FAILING`: the target as a whole refuses or does not respond. The worker retries without end.
 */
export const MirrorState = Schema.Literals(["ACTIVE", "PAUSED", "FAILING"])
export type MirrorState = typeof MirrorState.Type

/** How far the copies are behind. Zero `pending` means that the target equals the bucket. */
export const MirrorStats = Schema.Struct({
  pending: Schema.Int.annotate({ description: "Files that are still to be copied, or removed at the target." }),
  pendingBytes: Schema.Int.annotate({ description: "Bytes of the files that are still to be copied." }),
  copied: Schema.Int.annotate({ description: "Files whose copy is up to date." }),
  failed: Schema.Int.annotate({ description: "Pending files whose last attempt failed." }),
  capped: Schema.Boolean.annotate({
    description:
      "Whether there may be more files than were counted. A mirror counts up to 2,000 files of each kind; a list of mirrors divides that among them, with 100 at least for each."
  }),
  lagSeconds: Schema.Finite.annotate({ description: "The age of the oldest pending change, in seconds." }),
  lastError: Schema.NullOr(Schema.String).annotate({
    description: "Why the last attempt failed. Null when none failed."
  }),
  comparing: Schema.Boolean.annotate({
    description: "Whether a reconciliation with the target is requested or runs."
  })
}).annotate({ identifier: "MirrorStats" })
export type MirrorStats = typeof MirrorStats.Type

/** The fields of every input that creates a mirror, beside its type and the fields of that type. */
export const input = {
  name: Label,
  bucketId: Schema.optional(Reference).annotate({
    description: "The source bucket. It must equal the bucket of the path."
  }),
  verify: Schema.optional(Schema.Boolean).annotate({
    description: "Whether the target is checked before the mirror is created. True when absent."
  })
}

/** The fields of every record, beside its type and the fields of that type. */
export const record = {
  id: Schema.String,
  name: Schema.String,
  bucketId: Schema.String.annotate({ description: "The bucket that is copied." }),
  state: MirrorState,
  stats: MirrorStats,
  createdBy: CreatedBy,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString
}
