/**
 * A conversion of a file's content to a streaming format, as callers see it.
 */
import * as Schema from "effect/Schema"
import { Chapter } from "../transcoding/Chapter.ts"
import { Format } from "../transcoding/Presentation.ts"

/** QUEUED until a worker claims it, RUNNING while a worker converts; READY and FAILED are final until the next request. */
export const StreamState = Schema.Literals(["QUEUED", "RUNNING", "READY", "FAILED"])
export type StreamState = typeof StreamState.Type

const StreamRendition = Schema.Struct({
  name: Schema.String.annotate({
    description:
      "Lines of the shorter side, as in `720p`, or `720p-av1` for AV1; `audio`; or `hevc` for H.265 as it was uploaded."
  }),
  width: Schema.NullOr(Schema.Int).annotate({ description: "Pixels; null if there is no picture." }),
  height: Schema.NullOr(Schema.Int),
  bitrate: Schema.Int.annotate({ description: "Bits per second; an estimate until the conversion is READY." })
}).annotate({ identifier: "StreamRendition" })

const StreamAudio = Schema.Struct({
  label: Schema.String,
  language: Schema.NullOr(Schema.String).annotate({ description: "BCP 47; null if the content does not say." }),
  channels: Schema.Int
}).annotate({ identifier: "StreamAudio" })

const StreamCaptions = Schema.Struct({
  label: Schema.String,
  language: Schema.NullOr(Schema.String)
}).annotate({ identifier: "StreamCaptions" })

export const StreamRecord = Schema.Struct({
  format: Format,
  state: StreamState,
  progress: Schema.Finite.annotate({ description: "From 0 to 1." }),
  renditions: Schema.Array(StreamRendition).annotate({
    description: "The best first, then the AV1, and `hevc` last; empty until the conversion runs."
  }),
  audio: Schema.Array(StreamAudio).annotate({
    description: "The audio among which a viewer chooses, the default first; empty if there is only one."
  }),
  captions: Schema.Array(StreamCaptions).annotate({ description: "The captions; public when the stream is READY." }),
  chapters: Schema.Array(Chapter).annotate({ description: "The chapters of the content, by their times." }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why the conversion FAILED." }),
  startedAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  finishedAt: Schema.NullOr(Schema.DateTimeUtcFromString)
}).annotate({ identifier: "Stream" })
export type StreamRecord = typeof StreamRecord.Type
