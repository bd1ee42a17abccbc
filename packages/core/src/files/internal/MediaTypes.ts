/**
 * The media types of contents, and what a bucket and an upload link accept.
 */
import * as Effect from "effect/Effect"
import * as ContentRules from "../../buckets/ContentRules.ts"
import { InvalidRequest } from "../../Errors.ts"
import type * as ContentGuard from "../ContentGuard.ts"
import * as FileSignature from "../FileSignature.ts"

/** What an upload link accepts, within the rules of the bucket. */
export interface LinkRules {
  readonly maxBytes: number
  /** Null for any. */
  readonly contentTypes: ReadonlyArray<string> | null
}

/**
 * Clients send the first type when they do not know the type, and `curl --data-binary` sends the second one with any data.
 */
const unspecificType = /^\s*application\/(?:octet-stream|x-www-form-urlencoded)\s*(?:;|$)/i

/** Whether a media type does not describe the content, so that the service detects the type. */
export const isUnspecific = (contentType: string): boolean => unspecificType.test(contentType)

/** The longest media type, with its parameters. RFC 6838, section 4.2 permits names of up to 255 characters. */
const maxMediaType = 512

/** Fails unless a text can be sent as `Content-Type` (RFC 9110, section 5.5): every response with the content has it. */
export const check = (contentType: string): Effect.Effect<void, InvalidRequest> =>
  contentType.length <= maxMediaType && /^[\t\x20-\x7e\x80-\xff]*$/.test(contentType)
    ? Effect.void
    : Effect.fail(
        InvalidRequest.at(
          "/contentType",
          `must be a media type of at most ${maxMediaType} printable Latin-1 characters`
        )
      )

/** Returns the types of a content: the declared media type if it says something, otherwise those of its first bytes. */
export const detect = (declared: string | undefined, head: Uint8Array, name: string) => {
  const detected = FileSignature.detect(head, name)
  return {
    type: detected.type,
    contentType: declared === undefined || isUnspecific(declared) ? detected.contentType : declared
  }
}

/** Fails with `TypeNotAllowed` unless the bucket and the upload link, if there is one, accept a media type. */
export const checkAllowed = (
  contentType: string,
  rules: ContentRules.ContentRules,
  linkRules: LinkRules | undefined
): Effect.Effect<void, ContentRules.TypeNotAllowed> =>
  Effect.andThen(
    ContentRules.checkType(rules, contentType),
    linkRules === undefined ? Effect.void : ContentRules.checkLinkType(linkRules.contentTypes, contentType)
  )

/** Returns the smallest of the limits of a bucket, an upload link and the deployment. */
export const limitOf = (
  { maxFileBytes }: ContentRules.ContentRules,
  linkRules: LinkRules | undefined,
  maxUploadBytes: number
): Pick<ContentGuard.Expected, "limit" | "isOfBucket"> => {
  const limit = Math.min(maxUploadBytes, linkRules?.maxBytes ?? Infinity)
  return maxFileBytes !== null && maxFileBytes < limit ? { limit: maxFileBytes, isOfBucket: true } : { limit }
}
