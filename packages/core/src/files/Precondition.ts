/**
 * Preconditions on a file's content at the time when a change is committed (RFC 9110, section 13.1).
 */
import type { Content } from "./File.ts"

/** A list of entity tags with their quotes, or `*` for any content. */
export type Tags = "*" | ReadonlyArray<string>

export interface Precondition {
  /** The content must have one of these tags. Strong comparison: a weak tag never matches. */
  readonly ifMatch?: Tags | undefined
  /** The content must have none of these tags. Weak comparison. */
  readonly ifNoneMatch?: Tags | undefined
}

/** The opaque part of an entity tag, for the weak comparison (RFC 9110, section 8.8.3.2). */
const opaque = (tag: string): string => (tag.startsWith("W/") ? tag.slice(2) : tag)

/** Whether the precondition holds for a content; for a file without content, pass null. */
export const holds = (condition: Precondition, content: Pick<Content, "etag"> | null): boolean => {
  const { ifMatch, ifNoneMatch } = condition
  if (ifMatch !== undefined) {
    if (content === null) return false
    if (ifMatch !== "*" && !ifMatch.includes(content.etag)) return false
  }
  if (ifNoneMatch !== undefined && content !== null) {
    if (ifNoneMatch === "*" || ifNoneMatch.some((tag) => opaque(tag) === content.etag)) return false
  }
  return true
}

/** Whether there is no condition, so that `holds` is always true. */
export const isEmpty = (condition: Precondition): boolean =>
  condition.ifMatch === undefined && condition.ifNoneMatch === undefined
