/**
 * Conditions on the content that stands when a change is committed (RFC 9110, section 13.1).
 */
import type { Content } from "./File.ts"

/** A list of entity tags with their quotes, or `*` for any content at all. */
export type Tags = "*" | ReadonlyArray<string>

export interface Precondition {
  /** The content must be one of these. Compared strongly: a weak tag never matches. */
  readonly ifMatch?: Tags | undefined
  /** The content must be none of these. Compared weakly. */
  readonly ifNoneMatch?: Tags | undefined
}

const opaque = (tag: string): string => (tag.startsWith("W/") ? tag.slice(2) : tag)

/** Whether the conditions hold for the content that stands, null when there is none. */
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

/** Whether there is any condition at all. */
export const isEmpty = (condition: Precondition): boolean =>
  condition.ifMatch === undefined && condition.ifNoneMatch === undefined
