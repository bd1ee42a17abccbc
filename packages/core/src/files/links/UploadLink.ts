/**
 * Upload links: addresses at which a browser uploads one file without an API key.
 */
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import type { Actor } from "../../Actor.ts"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import { AllowedType } from "../../buckets/ContentRules.ts"
import { FolderPath } from "../../access/FolderPath.ts"
import * as Text from "../../Text.ts"
import * as FileName from "../FileName.ts"
import { OnConflict } from "../NewFile.ts"
import { ExpiresIn } from "./Link.ts"

/** The most media types of one link. They are part of its address. */
export const maxContentTypes = 16

/** Characters of the longest `redirectTo`, as given and in its canonical form. It is part of the address of the link. */
export const maxRedirectLength = 1024

const isPage = (text: string): boolean => {
  const url = text.length <= maxRedirectLength ? URL.parse(text) : null
  return (
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === "" &&
    url.href.length <= maxRedirectLength
  )
}

export const CreateUploadLink = Schema.Struct({
  path: Schema.optional(FolderPath).annotate({ description: "The folder of the file; `/` when absent." }),
  name: Schema.optional(FileName.FileName).annotate({
    description: "The name of the file. When absent, the client that uploads chooses it."
  }),
  maxBytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).annotate({
    description: "The largest content that the link accepts, in bytes. The limits of bucket and deployment hold too."
  }),
  contentTypes: Schema.optional(
    Schema.Array(AllowedType).check(Schema.isMinLength(1), Schema.isMaxLength(maxContentTypes))
  ).annotate({
    description:
      "The media types that the link accepts, such as `image/*`. As with `allowedTypes` of the bucket, which hold too, the type counts " +
      "that the client declares, otherwise the one that the service detects. Any when absent."
  }),
  expiresIn: ExpiresIn.annotate({
    description:
      "Seconds until the link expires; at most 604,800, which are seven days. An upload that began before goes on."
  }),
  onConflict: Schema.optional(OnConflict),
  redirectTo: Schema.optional(
    Schema.String.check(
      Schema.makeFilter(
        (text) =>
          isPage(text)
            ? undefined
            : `must be an http or https URL of at most ${maxRedirectLength} characters without user and password`,
        Text.atMost(maxRedirectLength)
      )
    )
  ).annotate({
    description:
      "The page that a browser shows after it has sent a form to the link: the answer is `303`, with the id of the file as `fileId` in the " +
      "query of this URL. A content without a form, and a failure, are answered with JSON. JSON for both when absent."
  })
}).annotate({ identifier: "CreateUploadLink" })
export type CreateUploadLink = typeof CreateUploadLink.Type

/** The answer to a request for an upload link. */
export const UploadUrl = Schema.Struct({
  url: Schema.String.annotate({
    description:
      "Where to send the content, by `PUT` or `POST`; a path where the service does not know its own address. Anyone who has it may upload."
  }),
  expiresAt: Schema.DateTimeUtcFromString
}).annotate({ identifier: "UploadUrl" })
export type UploadUrl = typeof UploadUrl.Type

/** What an upload link permits. */
export interface UploadTerms {
  readonly path: string
  /** Null if the client that uploads chooses the name. */
  readonly name: string | null
  readonly maxBytes: number
  /** Null for any. */
  readonly contentTypes: ReadonlyArray<string> | null
  readonly onConflict: OnConflict
  /** The page that a browser shows after it has sent a form; null for none. */
  readonly redirectTo: string | null
}

/** A verified upload link. Its holder uploads on behalf of `parent`, and only while `parent` may write files. */
export class UploadGrant extends Data.TaggedClass("UploadGrant")<{
  readonly bucket: BucketRef
  readonly terms: UploadTerms
  readonly parent: Actor
  readonly expiresAt: DateTime.Utc
}> {}
