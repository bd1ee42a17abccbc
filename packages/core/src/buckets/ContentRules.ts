/**
 * What the contents of a bucket's files may be: their largest size, and their media types. The rules hold for uploads that begin
 * after they were set. Files that the bucket has already stay.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { atMost } from "../Text.ts"

/** The most media types of one bucket. */
export const maxAllowedTypes = 64

/** The names of a media type (RFC 6838, section 4.2), or its first name and `*`. */
const pattern = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/i

export const AllowedType = Schema.String.check(
  Schema.isPattern(pattern, { ...atMost(255), message: "must be a media type such as image/png, or image/*" })
).annotate({
  identifier: "AllowedType",
  description: "A media type without parameters, or all types such as `image/*`."
})

/** The rules as callers set them. */
export const input = {
  maxFileBytes: Schema.optional(
    Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })))
  ).annotate({
    description: "The largest content of a file, in bytes. Null: the bucket has no such limit of its own."
  }),
  allowedTypes: Schema.optional(
    Schema.NullOr(Schema.Array(AllowedType).check(Schema.isMinLength(1), Schema.isMaxLength(maxAllowedTypes)))
  ).annotate({
    description:
      "The media types that contents may have, such as `image/*` and `application/pdf`. The `contentType` of the file " +
      "counts: what the client declares, otherwise what the service detects. Null: any."
  })
}

/** The rules of a bucket. */
export const fields = {
  maxFileBytes: Schema.NullOr(Schema.Int),
  allowedTypes: Schema.NullOr(Schema.Array(Schema.String))
}

const ContentRules = Schema.Struct(fields)
export type ContentRules = typeof ContentRules.Type

/** The rules of a bucket that accepts all contents. */
export const none: ContentRules = { maxFileBytes: null, allowedTypes: null }

/** Letter case and parameters do not matter (RFC 9110, section 8.3.1). */
const isAmong = (allowedTypes: ReadonlyArray<string>, contentType: string): boolean => {
  const type = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()
  return allowedTypes.some((allowed) => {
    const name = allowed.toLowerCase()
    return name.endsWith("/*") ? type.startsWith(name.slice(0, -1)) : type === name
  })
}

/** The most types that the message of an error lists. */
const maxListed = 10

/** The bucket, or the upload link, does not accept contents of this media type. */
export class TypeNotAllowed extends Data.TaggedError("TypeNotAllowed")<{
  readonly contentType: string
  readonly allowedTypes: ReadonlyArray<string>
  /** Whether the types are those of an upload link. */
  readonly isOfLink?: boolean | undefined
}> {
  readonly code = "unsupported_media_type"
  override get message(): string {
    const listed = this.allowedTypes.slice(0, maxListed).join(", ")
    const types = this.allowedTypes.length > maxListed ? `${listed} and others` : listed
    if (this.isOfLink === true) {
      return (
        `The upload link does not accept contents of the type ${this.contentType}. Its contentTypes are ${types}. ` +
        "Upload a content of one of them with its Content-Type, or create a link with the type."
      )
    }
    return (
      `The bucket does not accept contents of the type ${this.contentType}. Its allowedTypes are ${types}. ` +
      "Upload a content of one of them with its Content-Type, or add the type to allowedTypes of the bucket."
    )
  }
}

/** Fails with `TypeNotAllowed` unless the rules allow a media type. */
export const checkType = ({ allowedTypes }: ContentRules, contentType: string): Effect.Effect<void, TypeNotAllowed> =>
  allowedTypes === null || isAmong(allowedTypes, contentType)
    ? Effect.void
    : Effect.fail(new TypeNotAllowed({ contentType, allowedTypes }))

/** Fails with `TypeNotAllowed` unless an upload link accepts a media type; null for any. */
export const checkLinkType = (
  contentTypes: ReadonlyArray<string> | null,
  contentType: string
): Effect.Effect<void, TypeNotAllowed> =>
  contentTypes === null || isAmong(contentTypes, contentType)
    ? Effect.void
    : Effect.fail(new TypeNotAllowed({ contentType, allowedTypes: contentTypes, isOfLink: true }))
