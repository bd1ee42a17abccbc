/**
 * Preconditions on the current content of a file, as callers write them.
 */
import type { Precondition, Tags } from "../../../files/Precondition.ts"

/** One entity tag, with its quotes as in `etag` of the record; several of them; or `*` for any content. */
export type EntityTags = string | ReadonlyArray<string>

/** As in the HTTP headers of the same names (RFC 9110, section 13.1). */
export interface Conditions {
  /** The current content must have one of these entity tags. */
  readonly ifMatch?: EntityTags | undefined
  /** The current content must have none of these entity tags. */
  readonly ifNoneMatch?: EntityTags | undefined
}

const toTags = (tags: EntityTags | undefined): Tags | undefined =>
  typeof tags === "string" && tags !== "*" ? [tags] : (tags as Tags | undefined)

/** Returns the precondition that the core checks. */
export const toPrecondition = ({ ifMatch, ifNoneMatch }: Conditions): Precondition => ({
  ifMatch: toTags(ifMatch),
  ifNoneMatch: toTags(ifNoneMatch)
})
