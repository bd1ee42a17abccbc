/**
 * Reads the port's `Media` from ffprobe's report.
 */
import * as Chapter from "@holdfast/core/transcoding/Chapter"
import type { Color } from "@holdfast/core/transcoding/Color"
import type { Audio, Captions, Media, Video } from "@holdfast/core/transcoding/Media"
import * as TrackLabels from "@holdfast/core/transcoding/TrackLabels"
import * as Result from "effect/Result"
import type { Packet, Report, ReportedStream } from "./Report.ts"

/** Why a report has no media: it has no video or audio, or only in unknown codecs, or they are encrypted. */
export type Refusal = "NotMedia" | "Unsupported" | "Encrypted"

/** Returns a positive finite number, or null. */
const positive = (value: string | number | undefined): number | null => {
  const number = Number(value)
  return value !== undefined && Number.isFinite(number) && number > 0 ? number : null
}

/** Parses `30000/1001` and `16:9`. */
const ratio = (value: string | undefined): number | null => {
  const [numerator, denominator] = (value ?? "").split(/[/:]/).map(Number)
  return positive((numerator ?? 0) / (denominator ?? 0))
}

/** Parses `00:01:02.500000000` as seconds. */
const clockTime = (value: string | undefined): number | null => {
  const [, hours, minutes, seconds] = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(value ?? "") ?? []
  return positive(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
}

const isKnown = ({ codec_name }: ReportedStream): boolean =>
  codec_name !== undefined && codec_name !== "unknown" && codec_name !== "none"

/**
 * Chooses among streams of a kind: those with a known codec first, then those that are not still pictures, then the file's default, then
 * the first one.
 */
const choose = (
  streams: ReadonlyArray<ReportedStream>,
  isStill: (stream: ReportedStream) => boolean = () => false
): ReportedStream | undefined =>
  streams.toSorted(
    (a, b) =>
      Number(isKnown(b)) - Number(isKnown(a)) ||
      Number(isStill(a)) - Number(isStill(b)) ||
      (b.disposition?.default ?? 0) - (a.disposition?.default ?? 0)
  )[0]

/** Returns degrees clockwise. ffprobe counts counterclockwise. */
const toRotation = ({ side_data_list, tags }: ReportedStream): number => {
  const matrix = side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation
  const clockwise = matrix === undefined ? Number(tags?.rotate ?? 0) : -matrix
  return Number.isFinite(clockwise) ? ((Math.round(clockwise) % 360) + 360) % 360 : 0
}

/** A row of a matrix, as ffprobe prints it: `00000001:            0      -65536           0`. */
const matrixRow = /^[\da-f]{8}: +(-?\d+) +(-?\d+) +-?\d+$/gm

/** Whether the matrix of a track mirrors its picture. The reported rotation of one that is turned over is 0. */
const isMirrored = ({ side_data_list = [] }: ReportedStream): boolean =>
  side_data_list.some(({ displaymatrix = "" }) => {
    const [[a = 0, b = 0] = [], [c = 0, d = 0] = []] = [...displaymatrix.matchAll(matrixRow)].map(([, ...row]) =>
      row.map(Number)
    )
    return a * d - b * c < 0
  })

/** Returns the longest distance between two keyframes, or after the last one, among the reported packets. */
const toKeyframeInterval = (packets: ReadonlyArray<Packet>): number | null => {
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

/** Packets by which a frame may be decoded before one that is shown earlier, at most (ITU-T H.264, A.3.1). */
const maxReordered = 16

/**
 * Whether the time between two of the reported packets is one and a half times the usual one, or the average frame rate of the file is not
 * that of its frames. That of interlaced video may count fields.
 */
const isVariable = ({ avg_frame_rate, r_frame_rate }: ReportedStream, packets: ReadonlyArray<Packet>): boolean => {
  const times = packets.map(({ pts_time }) => Number(pts_time)).filter(Number.isFinite)
  // After the last packets, some are missing that are shown earlier.
  const known = [...new Set(times)].toSorted((one, other) => one - other).slice(0, -maxReordered)
  const steps = known.slice(1).map((time, index) => time - (known[index] ?? 0))
  const usual = steps.toSorted((one, other) => one - other)[Math.floor(steps.length / 2)] ?? 0
  const ratioOfRates = (ratio(r_frame_rate) ?? 0) / (ratio(avg_frame_rate) ?? Infinity)
  const differ = [0, 1, 2].every((same) => Math.abs(ratioOfRates - same) > 0.02)
  return differ || steps.some((step) => step > 1.5 * usual)
}

/** Values with which FFmpeg says that the file does not. */
const unspecified = new Set(["unknown", "unspecified", "reserved"])

const toColor = (stream: ReportedStream): Color => {
  const specified = (name: string | undefined) => (name === undefined || unspecified.has(name) ? null : name)
  return {
    matrix: specified(stream.color_space),
    transfer: specified(stream.color_transfer),
    primaries: specified(stream.color_primaries),
    fullRange: stream.color_range === "pc"
  }
}

/** Sample entries of encrypted tracks (ISO/IEC 23001-7). */
const encryptedTags = new Set(["encv", "enca"])

const isEncrypted = ({ codec_tag_string }: ReportedStream, packets: ReadonlyArray<Packet>): boolean =>
  encryptedTags.has(codec_tag_string ?? "") ||
  packets.some(({ side_data_list = [] }) => side_data_list.some((data) => data.side_data_type === "Encryption info"))

/** Seconds of audio that an encoder puts before a track, at most: 2112 samples of AAC-LC, and 4096 of others. */
const maxPriming = 0.12

/** Whether packets are marked as not to be shown. Those that begin after `after` (seconds) count. */
const areTrimmed = (packets: ReadonlyArray<Packet>, after: number): boolean =>
  packets.some(({ flags, pts_time }) => flags?.includes("D") === true && Number(pts_time) < after)

const toVideo = (stream: ReportedStream, width: number, height: number, packets: ReadonlyArray<Packet>): Video => {
  const rotation = toRotation(stream)
  const pixel = ratio(stream.sample_aspect_ratio) ?? 1
  const shown = { width: Math.max(1, Math.round(width * pixel)), height }
  const isSideways = Math.abs((rotation % 180) - 90) <= 1
  return {
    index: stream.index,
    codec: stream.codec_name ?? "",
    profile: stream.profile ?? null,
    level: positive(stream.level),
    pixelFormat: stream.pix_fmt ?? null,
    color: toColor(stream),
    width: isSideways ? shown.height : shown.width,
    height: isSideways ? shown.width : shown.height,
    rotation,
    isMirrored: isMirrored(stream),
    squarePixels: pixel === 1,
    interlaced: ["tt", "bb", "tb", "bt"].includes(stream.field_order ?? ""),
    frameRate: ratio(stream.avg_frame_rate) ?? ratio(stream.r_frame_rate),
    isVariable: isVariable(stream, packets),
    bitrate: positive(stream.bit_rate),
    isTrimmed: areTrimmed(packets, 0),
    keyframeInterval: toKeyframeInterval(packets)
  }
}

/** Returns what viewers see of a track. */
const toTrack = ({ tags }: ReportedStream): Pick<Audio, "language" | "title"> => ({
  language: TrackLabels.toLanguage(tags?.language),
  title: TrackLabels.toTitle(tags?.title)
})

/** Codecs of captions that consist of text. */
const textCodecs = new Set(["mov_text", "subrip", "srt", "ass", "ssa", "webvtt", "text"])

const toCaptions = (streams: ReadonlyArray<ReportedStream>): ReadonlyArray<Captions> =>
  streams.flatMap((stream) =>
    stream.codec_type === "subtitle" && textCodecs.has(stream.codec_name ?? "") && !isEncrypted(stream, [])
      ? [{ index: stream.index, ...toTrack(stream) }]
      : []
  )

/** Times of chapters count from zero, those of the output from the beginning of the file. */
const toChapters = ({ chapters = [], format }: Report): ReadonlyArray<Chapter.Chapter> => {
  const start = positive(format.start_time) ?? 0
  return chapters
    .slice(0, Chapter.maxChapters)
    .map(({ start_time, tags }) => ({
      start: Math.max(0, (positive(start_time) ?? 0) - start),
      title: TrackLabels.toLine(tags?.title)
    }))
    .toSorted((one, other) => one.start - other.start)
}

const toAudio = (
  stream: ReportedStream,
  channels: number,
  sampleRate: number,
  packets: ReadonlyArray<Packet>
): Audio => ({
  index: stream.index,
  codec: stream.codec_name ?? "",
  profile: stream.profile ?? null,
  channels,
  sampleRate,
  bitrate: positive(stream.bit_rate),
  ...toTrack(stream),
  isTrimmed: areTrimmed(packets, -maxPriming)
})

/** Containers whose headers declare a duration. For others FFmpeg reports an estimate, or the end of the data. */
const declaring = /\b(?:mov|matroska|avi|flv|asf|wav|flac)\b/

/**
 * Whether the headers declare the duration. Those of a fragmented MP4 count no frames: the end of its fragments is unknown, and many
 * encoders state a wrong one.
 */
const isDurationDeclared = ({ format }: Report, chosen: ReadonlyArray<ReportedStream>): boolean =>
  declaring.test(format.format_name) &&
  (!/\bmov\b/.test(format.format_name) || chosen.every(({ nb_frames }) => positive(nb_frames) !== null))

/**
 * Returns the time by which durations are too long, in seconds: Matroska states the end of the last frame, and a recording may begin
 * long after zero.
 */
const toExcess = ({ format }: Report): number => {
  const start = positive(format.start_time) ?? 0
  const end = positive(format.duration) ?? 0
  return /\bmatroska\b/.test(format.format_name) && start < end ? start : 0
}

/** Returns the duration of the container, or that of the chosen streams if they end earlier. Ignores other streams. */
const toDuration = (report: Report, chosen: ReadonlyArray<ReportedStream>): number | null => {
  const excess = toExcess(report)
  const whole = positive((positive(report.format.duration) ?? 0) - excess)
  const each = chosen.map(
    (stream) => positive(stream.duration) ?? positive((clockTime(stream.tags?.DURATION) ?? 0) - excess)
  )
  const longest = each.includes(null) ? null : Math.max(...each.map((duration) => duration ?? 0))
  return whole === null || longest === null ? (whole ?? longest) : Math.min(whole, longest)
}

/** Returns the media that a report describes, or why there is none. */
export const fromReport = (report: Report): Result.Result<Media, Refusal> => {
  const { format, packets = [], streams } = report
  const packetsByStream = Map.groupBy(packets, ({ stream_index }) => stream_index)
  const packetsOf = ({ index }: ReportedStream): ReadonlyArray<Packet> => packetsByStream.get(index) ?? []
  const picture = choose(
    streams.filter(({ codec_type, disposition }) => codec_type === "video" && disposition?.attached_pic !== 1),
    // Some containers do not say how many frames a track has.
    (stream) => (positive(stream.nb_frames) ?? packetsOf(stream).length) === 1
  )
  const sounds = streams.filter(({ codec_type }) => codec_type === "audio")
  const sound = choose(sounds)
  const chosen = [picture, sound].filter((stream) => stream !== undefined)
  if (chosen.length === 0) return Result.fail("NotMedia")
  if (chosen.some((stream) => isEncrypted(stream, packetsOf(stream)))) return Result.fail("Encrypted")
  if (!chosen.every(isKnown)) return Result.fail("Unsupported")
  const [width, height] = [positive(picture?.width), positive(picture?.height)]
  const [channels, sampleRate] = [positive(sound?.channels), positive(sound?.sample_rate)]
  const otherAudio = sounds.flatMap((stream) => {
    const [channels, sampleRate] = [positive(stream.channels), positive(stream.sample_rate)]
    const packetsOfStream = packetsOf(stream)
    if (stream === sound || !isKnown(stream) || isEncrypted(stream, packetsOfStream)) return []
    // An encoder begins with the first packet, and all tracks of DASH wait for it.
    if (packetsOfStream.length === 0) return []
    return channels === null || sampleRate === null ? [] : [toAudio(stream, channels, sampleRate, packetsOfStream)]
  })
  const video = picture !== undefined && width !== null && height !== null
  const audio = sound !== undefined && channels !== null && sampleRate !== null
  // Video without a size, or audio without a sample rate: the file ends before its first frame.
  if ((picture !== undefined && !video) || (sound !== undefined && !audio && !video)) return Result.fail("NotMedia")
  return Result.succeed({
    container: format.format_name,
    duration: toDuration(report, chosen),
    durationDeclared: isDurationDeclared(report, chosen),
    bitrate: positive(format.bit_rate),
    video: video ? toVideo(picture, width, height, packetsOf(picture)) : null,
    audio: audio ? toAudio(sound, channels, sampleRate, packetsOf(sound)) : null,
    otherAudio: audio ? otherAudio : [],
    captions: toCaptions(streams),
    chapters: toChapters(report)
  })
}
