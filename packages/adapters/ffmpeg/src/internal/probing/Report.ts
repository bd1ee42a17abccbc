/**
 * The JSON report of ffprobe, and the options that request it.
 */
import * as Schema from "effect/Schema"
import type * as Options from "../arguments/Options.ts"

const text = Schema.optional(Schema.String)
const number = Schema.optional(Schema.Finite)

export const ReportedStream = Schema.Struct({
  index: Schema.Int,
  codec_type: text,
  codec_name: text,
  codec_tag_string: text,
  profile: text,
  level: number,
  pix_fmt: text,
  color_range: text,
  color_space: text,
  color_transfer: text,
  color_primaries: text,
  width: number,
  height: number,
  sample_aspect_ratio: text,
  field_order: text,
  avg_frame_rate: text,
  r_frame_rate: text,
  channels: number,
  sample_rate: text,
  bit_rate: text,
  duration: text,
  nb_frames: text,
  disposition: Schema.optional(Schema.Struct({ attached_pic: number, default: number })),
  side_data_list: Schema.optional(Schema.Array(Schema.Struct({ rotation: number, displaymatrix: text }))),
  tags: Schema.optional(Schema.Struct({ DURATION: text, rotate: text, language: text, title: text }))
})
export type ReportedStream = typeof ReportedStream.Type

const sideData = Schema.optional(Schema.Array(Schema.Struct({ side_data_type: text })))

export const Packet = Schema.Struct({ stream_index: Schema.Int, pts_time: text, flags: text, side_data_list: sideData })
export type Packet = typeof Packet.Type

const ReportedChapter = Schema.Struct({
  start_time: text,
  tags: Schema.optional(Schema.Struct({ title: text }))
})

export const Report = Schema.Struct({
  packets: Schema.optional(Schema.Array(Packet)),
  chapters: Schema.optional(Schema.Array(ReportedChapter)),
  streams: Schema.Array(ReportedStream),
  format: Schema.Struct({
    format_name: Schema.String,
    start_time: text,
    duration: text,
    bit_rate: text,
    probe_score: number
  })
})
export type Report = typeof Report.Type

export const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Report))

/** The fields of a stream that have options of their own are requested by these. */
const streamFields = Object.keys(ReportedStream.fields).filter(
  (name) => !["disposition", "side_data_list", "tags"].includes(name)
)

/** Requests exactly these fields, and only the first packets. Of them a file can make only the tags long; the report is bounded. */
export const request: Options.Options = {
  print_format: "json=compact=1",
  read_intervals: "%+#3000",
  show_entries: [
    "packet=stream_index,pts_time,flags",
    "packet_side_data=side_data_type",
    `stream=${streamFields.join(",")}`,
    "stream_disposition=attached_pic,default",
    "stream_side_data=rotation,displaymatrix",
    "stream_tags=DURATION,rotate,language,title",
    "chapter=start_time",
    "chapter_tags=title",
    "format=format_name,start_time,duration,bit_rate,probe_score"
  ].join(":")
}
