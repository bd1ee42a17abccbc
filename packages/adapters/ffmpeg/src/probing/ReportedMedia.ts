/**
 * From ffprobe's report to the port's `Media`.
 */
import type { Audio, Media, Video } from "@holdfast/core/transcoding/Media"
import * as Result from "effect/Result"
import type { Packet, Report, ReportedStream } from "./Report.ts"

/** Why a report is none of media: nothing is there, or nothing that is known. */
export type Refusal = "NotMedia" | "Unsupported"

/** A positive finite number, or null. */
const positive = (value: string | number | undefined): number | null => {
  const number = Number(value)
  return value !== undefined && Number.isFinite(number) && number > 0 ? number : null
}

/** `30000/1001`, and `16:9`. */
const ratio = (value: string | undefined): number | null => {
  const [numerator, denominator] = (value ?? "").split(/[/:]/).map(Number)
  return positive((numerator ?? 0) / (denominator ?? 0))
}

/** `00:01:02.500000000` in seconds. */
const clockTime = (value: string | undefined): number | null => {
  const [, hours, minutes, seconds] = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(value ?? "") ?? []
  return positive(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
}

const isKnown = ({ codec_name }: ReportedStream): boolean =>
  codec_name !== undefined && codec_name !== "unknown" && codec_name !== "none"

/** Of a kind, the one that the file marks as its default, else the first; known ones before unknown ones. */
const choose = (streams: ReadonlyArray<ReportedStream>): ReportedStream | undefined =>
  streams.toSorted(
    (a, b) => Number(isKnown(b)) - Number(isKnown(a)) || (b.disposition?.default ?? 0) - (a.disposition?.default ?? 0)
  )[0]

/** Clockwise; ffprobe counts the other way round. */
const rotationOf = ({ side_data_list, tags }: ReportedStream): number => {
  const matrix = side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation
  const clockwise = matrix === undefined ? Number(tags?.rotate ?? 0) : -matrix
  return Number.isFinite(clockwise) ? ((Math.round(clockwise) % 360) + 360) % 360 : 0
}

/** The longest distance between two keyframes, or from the last one on, among the packets that were looked at. */
const keyframeIntervalOf = (packets: ReadonlyArray<Packet>): number | null => {
  const times = packets.flatMap(({ flags, pts_time }) => {
    const time = Number(pts_time)
    return pts_time === undefined || !Number.isFinite(time) ? [] : [{ time, isKey: flags?.startsWith("K") === true }]
  })
  const keys = times.filter(({ isKey }) => isKey).map(({ time }) => time)
  const last = times.reduce((latest, { time }) => Math.max(latest, time), -Infinity)
  const [first] = keys
  if (first === undefined) return null
  return keys.concat(last).reduce(({ from, longest }, to) => ({ from: to, longest: Math.max(longest, to - from) }), {
    from: first,
    longest: 0
  }).longest
}

const videoOf = (stream: ReportedStream, width: number, height: number, packets: ReadonlyArray<Packet>): Video => {
  const rotation = rotationOf(stream)
  const pixel = ratio(stream.sample_aspect_ratio) ?? 1
  const shown = { width: Math.max(1, Math.round(width * pixel)), height }
  const isSideways = Math.abs((rotation % 180) - 90) <= 1
  return {
    index: stream.index,
    codec: stream.codec_name ?? "",
    profile: stream.profile ?? null,
    level: positive(stream.level),
    pixelFormat: stream.pix_fmt ?? null,
    width: isSideways ? shown.height : shown.width,
    height: isSideways ? shown.width : shown.height,
    rotation,
    squarePixels: pixel === 1,
    interlaced: ["tt", "bb", "tb", "bt"].includes(stream.field_order ?? ""),
    frameRate: ratio(stream.avg_frame_rate) ?? ratio(stream.r_frame_rate),
    bitrate: positive(stream.bit_rate),
    keyframeInterval: keyframeIntervalOf(packets.filter(({ stream_index }) => stream_index === stream.index))
  }
}

const audioOf = (stream: ReportedStream, channels: number, sampleRate: number): Audio => ({
  index: stream.index,
  codec: stream.codec_name ?? "",
  profile: stream.profile ?? null,
  channels,
  sampleRate,
  bitrate: positive(stream.bit_rate)
})

/** Their headers declare how long they play; of others FFmpeg tells an estimate, or how far the data goes. */
const declaring = /\b(?:mov|matroska|avi|flv|asf|wav|flac)\b/

/** The container's duration, or that of the chosen streams if they end earlier: other streams do not count. */
const durationOf = (report: Report, chosen: ReadonlyArray<ReportedStream>): number | null => {
  const whole = positive(report.format.duration)
  const each = chosen.map((stream) => positive(stream.duration) ?? clockTime(stream.tags?.DURATION))
  const longest = each.includes(null) ? null : Math.max(...each.map((duration) => duration ?? 0))
  return whole === null || longest === null ? (whole ?? longest) : Math.min(whole, longest)
}

export const make = (report: Report): Result.Result<Media, Refusal> => {
  const { format, packets = [], streams } = report
  const picture = choose(
    streams.filter(({ codec_type, disposition }) => codec_type === "video" && disposition?.attached_pic !== 1)
  )
  const sound = choose(streams.filter(({ codec_type }) => codec_type === "audio"))
  const chosen = [picture, sound].filter((stream) => stream !== undefined)
  if (chosen.length === 0) return Result.fail("NotMedia")
  if (!chosen.every(isKnown)) return Result.fail("Unsupported")
  const [width, height] = [positive(picture?.width), positive(picture?.height)]
  const [channels, sampleRate] = [positive(sound?.channels), positive(sound?.sample_rate)]
  const video = picture !== undefined && width !== null && height !== null
  const audio = sound !== undefined && channels !== null && sampleRate !== null
  // A picture without a size, or a sound without a rate: the file ends before its first frame.
  if ((picture !== undefined && !video) || (sound !== undefined && !audio && !video)) return Result.fail("NotMedia")
  return Result.succeed({
    container: format.format_name,
    duration: durationOf(report, chosen),
    durationDeclared: declaring.test(format.format_name),
    bitrate: positive(format.bit_rate),
    video: video ? videoOf(picture, width, height, packets) : null,
    audio: audio ? audioOf(sound, channels, sampleRate) : null
  })
}
