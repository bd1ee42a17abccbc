/**
 * The conditional headers of GET and HEAD, in the order of RFC 9110, section 13.2.2.
 */
import * as Precondition from "@holdfast/core/files/Precondition"
import * as EntityTags from "./EntityTags.ts"
import * as HttpDate from "./HttpDate.ts"

/** The validators of the content (RFC 9110, section 8.8), with which the conditions are compared. */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  readonly etag: string
  /** Epoch milliseconds; headers carry whole seconds. */
  readonly lastModified: number
}

export type Outcome =
  /** Send the content. `useRange` is false when `If-Range` does not match: `Range` is then ignored. */
  | { readonly _tag: "Proceed"; readonly useRange: boolean }
  | { readonly _tag: "NotModified" }
  | { readonly _tag: "PreconditionFailed" }

const proceed: Outcome = { _tag: "Proceed", useRange: true }
const proceedWhole: Outcome = { _tag: "Proceed", useRange: false }
const notModified: Outcome = { _tag: "NotModified" }
const preconditionFailed: Outcome = { _tag: "PreconditionFailed" }

/** Section 13.1.1. A malformed list names no content, so the condition is false. */
const ifMatch = (header: string, { etag }: Validators): boolean => {
  if (header === etag) return true
  const tags = EntityTags.parse(header)
  return tags !== undefined && Precondition.holds({ ifMatch: tags }, { etag })
}

/** Section 13.1.2. A malformed list excludes no content, so the condition is true. */
const ifNoneMatch = (header: string, { etag }: Pick<Validators, "etag">): boolean => {
  if (header === etag) return false
  const tags = EntityTags.parse(header)
  return tags === undefined || Precondition.holds({ ifNoneMatch: tags }, { etag })
}

/** Whether the client has this representation already, of a content without a date. */
export const isNotModified = ({ "if-none-match": header }: EntityTags.RequestHeaders, etag: string): boolean =>
  header !== undefined && !ifNoneMatch(header, { etag })

/** Sections 13.1.3 and 13.1.4. Returns undefined for a malformed date, which must be ignored. */
const modifiedSince = (header: string, { lastModified }: Validators, now: number): boolean | undefined => {
  const date = HttpDate.parse(header, now)
  return date === undefined ? undefined : HttpDate.truncate(lastModified) > date
}

/** Section 13.1.5: the same strong entity tag, or exactly the date in `Last-Modified`. */
const ifRange = (header: string, { etag, lastModified }: Validators, now: number): boolean =>
  EntityTags.isEntityTag(header) ? header === etag : HttpDate.parse(header, now) === HttpDate.truncate(lastModified)

/**
 * Evaluates the conditions of a GET or HEAD request against the current content.
 *
 * @param now Epoch milliseconds. Dates with a two-digit year are interpreted relative to it.
 */
export const evaluate = (headers: EntityTags.RequestHeaders, validators: Validators, now: number): Outcome => {
  const match = headers["if-match"]
  const unmodified = headers["if-unmodified-since"]
  if (match !== undefined) {
    if (!ifMatch(match, validators)) return preconditionFailed
  } else if (unmodified !== undefined && modifiedSince(unmodified, validators, now) === true) {
    return preconditionFailed
  }
  const noneMatch = headers["if-none-match"]
  const modified = headers["if-modified-since"]
  if (noneMatch !== undefined) {
    if (!ifNoneMatch(noneMatch, validators)) return notModified
  } else if (modified !== undefined && modifiedSince(modified, validators, now) === false) {
    return notModified
  }
  const range = headers["if-range"]
  return range === undefined || ifRange(range, validators, now) ? proceed : proceedWhole
}
