/**
 * A presentation: video or audio converted to a streaming format, with its renditions.
 */
import * as Schema from "effect/Schema"
import { AudioRendition } from "./AudioRendition.ts"
import { Chapter } from "./Chapter.ts"
import { CaptionRendition } from "./CaptionRendition.ts"

/** `hls`: RFC 8216 with MPEG-TS segments. `dash`: ISO/IEC 23009-1 with fragmented MP4. */
export const Format = Schema.Literals(["hls", "dash"])
export type Format = typeof Format.Type

const rendition = {
  /** Lines of the shorter side with a `p`, as in `720p`; `audio` if there is no video. Unique in a presentation. */
  name: Schema.String,
  /** Pixels; null if there is no video. */
  width: Schema.NullOr(Schema.Int),
  height: Schema.NullOr(Schema.Int),
  /** Frames per second; null if there is no video, or if unknown. */
  frameRate: Schema.NullOr(Schema.Finite),
  /** Average bits per second of video and audio together; an estimate until the conversion has finished. */
  bitrate: Schema.Int,
  /** HLS, when the conversion has finished: bits per second at most, over some segments (RFC 8216, section 4.1). */
  peakBitrate: Schema.optionalKey(Schema.Int),
  /** Likewise: the codecs of its segments (RFC 6381). */
  codecs: Schema.optionalKey(Schema.Array(Schema.String))
}

/** One quality among which a player chooses. */
export const Rendition = Schema.Struct(rendition).annotate({ identifier: "Rendition" })
export type Rendition = typeof Rendition.Type

/** The range of brightness (RFC 8216bis, `VIDEO-RANGE`): SDR, or HDR by the transfer characteristics HLG or PQ. */
export const VideoRange = Schema.Literals(["SDR", "HLG", "PQ"])
export type VideoRange = typeof VideoRange.Type

/** H.265 that is cut from the content. */
export const HevcRendition = Schema.Struct({ ...rendition, range: VideoRange }).annotate({
  identifier: "HevcRendition"
})
export type HevcRendition = typeof HevcRendition.Type

export const Presentation = Schema.Struct({
  format: Format,
  /** Seconds, null if unknown; an estimate until the conversion has finished. */
  duration: Schema.NullOr(Schema.Finite),
  hasVideo: Schema.Boolean,
  hasAudio: Schema.Boolean,
  /** The audio renditions, if there are several; the default first. In HLS, the segments of all renditions contain the default. */
  audio: Schema.optionalKey(Schema.Array(AudioRendition)),
  /** Absent if the content has none. A running conversion reports what it expects; at its end, those without text are left out. */
  captions: Schema.optionalKey(Schema.Array(CaptionRendition)),
  /** Absent if the content has none. */
  chapters: Schema.optionalKey(Schema.Array(Chapter)),
  /** Whether all tracks of the content were copied. Absent if one was encoded, or if unknown. */
  isCopy: Schema.optionalKey(Schema.Boolean),
  /** Whether the renditions behind the first one are a ladder, which was made behind a copy. */
  hasLadder: Schema.optionalKey(Schema.Boolean),
  /** Whether the segments are cut from the content when they are read. Absent if they are stored. */
  isPackaged: Schema.optionalKey(Schema.Boolean),
  /** Whether its files are those of both formats (`StreamFiles.tracks`). Absent if they are those of its own format. */
  isShared: Schema.optionalKey(Schema.Boolean),
  /** Whether the stored video of a shared presentation was copied, so that a ladder is made behind it. Absent if it was encoded. */
  hasCopiedVideo: Schema.optionalKey(Schema.Boolean),
  /** H.265 for the players that support it, cut from the content when it is read (`hevc/HevcFiles`). Absent if there is none. */
  hevc: Schema.optionalKey(HevcRendition),
  /** AV1 for the players that support it, encoded behind the others (`av1/Av1Files`), the best first. Absent if there is none. */
  av1: Schema.optionalKey(Schema.NonEmptyArray(Rendition)),
  /** The best first. */
  renditions: Schema.NonEmptyArray(Rendition)
}).annotate({ identifier: "Presentation" })
export type Presentation = typeof Presentation.Type
