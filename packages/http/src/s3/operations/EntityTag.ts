/**
 * The entity tags of the S3 API. Contents that came by it have the MD5 as their tag, or the MD5 of the MD5s of their parts with the
 * number of parts. Clients compare a tag without a hyphen with an MD5 of their own.
 */
import type { Precondition, Tags } from "@holdfast/core/files/Precondition"
import * as EntityTags from "../../transfer/request/EntityTags.ts"

const ofS3 = /^"[0-9a-f]{32}(?:-[0-9]{1,5})?"$/

/** Returns the tag of a content for the S3 API, with its quotes. */
export const of = (etag: string): string => {
  if (ofS3.test(etag)) return etag
  const hex = etag.replace(/[^0-9a-f]/g, "")
  return `"${hex.slice(0, 32).padEnd(32, "0")}-1"`
}

/** Returns the number of parts that a tag states; undefined for none. */
export const partsOf = (tag: string): number | undefined => {
  const count = /-(\d+)"$/.exec(tag)?.[1]
  return count === undefined ? undefined : Number(count)
}

/** Returns the tag of a content with this MD5 (hexadecimal). */
export const ofMd5 = (md5: string): string => `"${md5}"`

/** Adds the quotes that some clients leave out of a condition's tags. */
export const quoted = (header: string): string =>
  /["*]/.test(header)
    ? header
    : header
        .split(",")
        .map((tag) => `"${tag.trim()}"`)
        .join(", ")

/** Returns the tags that a header of a condition lists; a malformed list has none. */
export const parse = (header: string | undefined): Tags | undefined =>
  header === undefined ? undefined : (EntityTags.parse(quoted(header)) ?? [])

/**
 * Returns a condition by the tags that contents have, for a condition by those of the S3 API. The content that the client refers to by
 * its tag is the current one, or the condition fails.
 */
export const condition = (wanted: Precondition, current: { readonly etag: string } | null): Precondition => {
  const translate = (tags: Tags | undefined): Tags | undefined =>
    tags === undefined || tags === "*" || current === null
      ? tags
      : tags.map((tag) => (tag === of(current.etag) ? current.etag : tag))
  return { ifMatch: translate(wanted.ifMatch), ifNoneMatch: translate(wanted.ifNoneMatch) }
}
