/**
 * A converted video or audio: what stands in the output directory of a conversion.
 */
import * as Schema from "effect/Schema"

/** `hls`: RFC 8216 with MPEG-TS segments. `dash`: ISO/IEC 23009-1 with fragmented MP4. */
export const Format = Schema.Literals(["hls", "dash"])
export type Format = typeof Format.Type

/** One quality that a player can choose. */
export const Rendition = Schema.Struct({
  /** The shorter side in lines and a `p`, as in `720p`; `audio` where there is no picture. Unique in a presentation. */
  name: Schema.String,
  /** Pixels; null where there is no picture. */
  width: Schema.NullOr(Schema.Int),
  height: Schema.NullOr(Schema.Int),
  /** Frames a second; null where there is no picture, or nobody knows. */
  frameRate: Schema.NullOr(Schema.Finite),
  /** Bits a second of picture and sound, on the average; before the conversion has ended, what is expected. */
  bitrate: Schema.Int
}).annotate({ identifier: "Rendition" })
export type Rendition = typeof Rendition.Type

export const Presentation = Schema.Struct({
  format: Format,
  /** Seconds; before the conversion has ended what is expected, null where nobody knows. */
  duration: Schema.NullOr(Schema.Finite),
  hasVideo: Schema.Boolean,
  hasAudio: Schema.Boolean,
  /** Whether no track of the content was encoded anew; absent where one was, or nobody knows. */
  isCopy: Schema.optionalKey(Schema.Boolean),
  /** The best first. */
  renditions: Schema.NonEmptyArray(Rendition)
}).annotate({ identifier: "Presentation" })
export type Presentation = typeof Presentation.Type
