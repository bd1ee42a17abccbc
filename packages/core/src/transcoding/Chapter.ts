/**
 * A chapter of a video or audio file.
 */
import * as Schema from "effect/Schema"

export const Chapter = Schema.Struct({
  start: Schema.Finite.annotate({ description: "Seconds from the beginning." }),
  title: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Chapter" })
export type Chapter = typeof Chapter.Type

/** Chapters of a file, at most. The rest is ignored. */
export const maxChapters = 200
