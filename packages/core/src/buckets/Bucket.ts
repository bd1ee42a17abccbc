/**
 * A bucket: a named collection of files inside a tenant.
 */
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import * as UnknownFields from "../inputs/UnknownFields.ts"
import { Label } from "../Text.ts"
import * as ContentRules from "./ContentRules.ts"
import * as ShareRules from "./ShareRules.ts"

const limit = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })))

/** The limits of a bucket, within those of its tenant. */
const limits = {
  maxBytes: Schema.optional(limit).annotate({
    description: "The most bytes of the bucket's contents, streams and running uploads. Null: no limit of its own."
  }),
  maxFiles: Schema.optional(limit).annotate({ description: "The most files. Null: no limit of its own." })
}

/** Who may read the contents of a bucket: only readers with a key that permits it, or anyone. */
export const Visibility = Schema.Literals(["private", "public"])
export type Visibility = typeof Visibility.Type

const visibility = Schema.optional(Visibility).annotate({
  description:
    "`public`: anyone can view and download the bucket's files and play its videos without a key, and do nothing else. Only where the " +
    "deployment permits it. `private`, the default, requires a key for everything."
})

const shares = Schema.optional(ShareRules.Input)

export const Bucket = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  maxBytes: Schema.NullOr(Schema.Int),
  maxFiles: Schema.NullOr(Schema.Int),
  ...ContentRules.fields,
  visibility: Visibility,
  shares: ShareRules.ShareRules,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "Bucket" })
export type Bucket = typeof Bucket.Type

export const CreateBucket = Schema.Struct({
  name: Label,
  ...limits,
  ...ContentRules.input,
  visibility,
  shares
})
  .annotate({ identifier: "CreateBucket" })
  .pipe(UnknownFields.refuseSimilar)
export type CreateBucket = typeof CreateBucket.Type

export const UpdateBucket = Schema.Struct({
  name: Schema.optional(Label),
  ...limits,
  ...ContentRules.input,
  visibility,
  shares
})
  .annotate({ identifier: "UpdateBucket" })
  .pipe(UnknownFields.refuseSimilar)
export type UpdateBucket = typeof UpdateBucket.Type

/**
 * The tenant already has a bucket of this name. `existingId` is the id of that bucket; undefined for a caller whose token is limited to
 * other buckets.
 */
export class BucketExists extends Data.TaggedError("BucketExists")<{ readonly existingId: string | undefined }> {
  readonly code = "bucket_exists"
  override readonly message = "The tenant already has a bucket of this name."
}

/** The bucket still has files, and the removal was not forced. */
export class BucketNotEmpty extends Data.TaggedError("BucketNotEmpty")<{}> {
  readonly code = "bucket_not_empty"
  override readonly message = "The bucket still has files. Remove them first, or force the removal."
}
