/**
 * Cuts segments of MPEG-TS (ISO/IEC 13818-1) with H.264, and AAC or AC-3, from the samples of a file, for HLS (RFC 8216, section 3.2).
 *
 * The sizes of all segments are known from the index alone. Continuity counters run on from one segment to the next.
 */
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Avc } from "./Codec.ts"
import type { CutOptions } from "./FragmentedMp4.ts"
import * as ReadPlan from "./internal/ReadPlan.ts"
import * as SegmentStream from "./internal/SegmentStream.ts"
import * as Turns from "./internal/Turns.ts"
import * as AccessUnits from "./internal/ts/AccessUnits.ts"
import * as Layout from "./internal/ts/Layout.ts"
import * as Packets from "./internal/ts/Packets.ts"
import * as Tables from "./internal/ts/Tables.ts"
import { type PackagingError, unsupported } from "./PackagingError.ts"
import type * as SegmentPlan from "./SegmentPlan.ts"
import type { Source } from "./Source.ts"
import type { SoundTrack, VideoTrack } from "./SourceIndex.ts"

type Audio = SegmentPlan.PlannedTrack<SoundTrack>
type Video = SegmentPlan.PlannedTrack<VideoTrack & { readonly codec: Avc }>

/** How a transport stream is planned. */
export interface MakeOptions extends Pick<Layout.Tracks, "longest" | "shift"> {
  /**
   * Whether the continuity counters begin at 0 in each segment. Its last packets are padded to that end: a multiple of 16 packets for each
   * track. Default: false, the counters run on from one segment to the next.
   */
  readonly isAligned?: boolean | undefined
}

export interface TransportStream extends MakeOptions {
  readonly video: Video | null
  readonly audio: Audio | null
  /** Bytes of each segment. */
  readonly sizes: Float64Array
  /** Bytes of each segment up to the end of its first frame of video; 0 for audio alone. */
  readonly keyframes: Float64Array
  /** Continuity counters of video and audio at the beginning of each segment, in turns. */
  readonly counters: Uint8Array
}

/** Seconds: the time in the segments at which the presentation begins. */
export const firstTime: number = Layout.firstTime

/** Seconds before the presentation begins at which a frame may be decoded, at most. */
export const maxLead: number = Layout.maxLead

const parametersOf = (video: Video | null): Uint8Array =>
  video === null ? new Uint8Array() : AccessUnits.parametersOf(video.track.codec)

/** The two tables at the beginning of each segment. */
const tablePackets = 2

/** Whether a transport stream may have this video. */
export const isAvc = (planned: SegmentPlan.PlannedTrack<VideoTrack>): planned is Video =>
  planned.track.codec._tag === "Avc"

/** Plans a transport stream of some of the tracks. Fails if they cannot be in one. */
export const make = Effect.fnUntraced(function* (
  count: number,
  video: SegmentPlan.PlannedTrack<VideoTrack> | null,
  audio: Audio | null,
  options: MakeOptions = {}
): Effect.fn.Return<TransportStream, PackagingError> {
  if (video !== null && !isAvc(video)) return yield* unsupported("MPEG-TS has no support for the codec of the video.")
  if (video !== null && video.track.codec.lengthBytes !== 4) {
    return yield* unsupported("The frames of the video have an unusual length field.")
  }
  const tracks = { ...options, video, audio }
  const parameters = parametersOf(video)
  const sizes = new Float64Array(count)
  const counters = new Uint8Array(2 * count)
  const keyframes = new Float64Array(count)
  const packets = { video: 0, audio: 0 }
  const memory = Layout.memoryFor(tracks, count)
  yield* Turns.forEach(count, (segment) => {
    counters[2 * segment] = packets.video & 15
    counters[2 * segment + 1] = packets.audio & 15
    const layout = Layout.make(tracks, segment, memory)
    ReadPlan.check(Layout.unitsOf(tracks, layout, memory), () => Layout.rangesOf(tracks, layout, memory))
    let total = tablePackets
    for (let unit = 0; unit < layout.count; unit++) {
      const added = Layout.packetsOf(tracks, layout, unit, parameters.length)
      total += added + (layout.clocks[unit] ?? 0)
      if (layout.isVideo[unit] !== 1) packets.audio += added
      else {
        packets.video += added
        if (keyframes[segment] === 0) keyframes[segment] = total * Packets.packetBytes
      }
    }
    if (options.isAligned === true) {
      const padding = [Packets.paddingOf(packets.video), Packets.paddingOf(packets.audio)] as const
      packets.video += padding[0]
      packets.audio += padding[1]
      total += padding[0] + padding[1]
    }
    sizes[segment] = total * Packets.packetBytes
    return layout.count
  })
  return { ...options, video, audio, sizes, keyframes, counters }
})

/** Writes the two tables. */
const tablesOf = ({ audio, video }: TransportStream, sequence: number): Uint8Array => {
  const output = new Uint8Array(tablePackets * Packets.packetBytes)
  const writer = Packets.makeWriter(output, 0)
  const counter = sequence & 15
  writer.section({ pid: Tables.tablePid, counter }, Tables.programAssociation)
  writer.section({ pid: Tables.programPid, counter }, Tables.programMap(audio?.track.codec, video !== null))
  return output
}

/** Returns the last units of video and of audio, with the packets by which each is padded so that its track ends as `isAligned` says. */
const paddingsOf = (
  stream: TransportStream,
  layout: Layout.Layout,
  parameterBytes: number
): ReadonlyMap<number, number> => {
  const paddings = new Map<number, number>()
  if (stream.isAligned !== true) return paddings
  for (const isVideo of [1, 0]) {
    let [last, packets] = [-1, 0]
    for (let unit = 0; unit < layout.count; unit++) {
      if (layout.isVideo[unit] !== isVideo) continue
      last = unit
      packets += Layout.packetsOf(stream, layout, unit, parameterBytes)
    }
    if (last >= 0) paddings.set(last, Packets.paddingOf(packets))
  }
  return paddings
}

/** Makes the writer of a segment, which reads some bytes at once. Throws if its samples are too far apart. */
const writerOf = (
  stream: TransportStream,
  number: number,
  sequence: number,
  readBytes: number
): SegmentStream.Writer => {
  const { audio, counters: all, video } = stream
  const parameters = parametersOf(video)
  const memory = Layout.memoryOf(stream, number)
  const layout = Layout.make(stream, number, memory)
  const plan = ReadPlan.make(Layout.rangesOf(stream, layout, memory), readBytes)
  const { firsts, lengths: sizes } = plan.ranges
  const paddings = paddingsOf(stream, layout, parameters.length)
  const frames: Packets.PacketCounter = { pid: Tables.videoPid, counter: all[2 * number] ?? 0 }
  const groups: Packets.PacketCounter = { pid: Tables.audioPid, counter: all[2 * number + 1] ?? 0 }
  const clock = video === null ? groups : frames
  return {
    plan,
    head: tablesOf(stream, sequence),
    write: (from, to, { bytesOf, startOf }, allocate) => {
      const samples = { bytesOf, startOf, sizes }
      let packets = 0
      for (let unit = from; unit < to; unit++) {
        packets += (layout.clocks[unit] ?? 0) + Layout.packetsOf(stream, layout, unit, parameters.length)
        packets += paddings.get(unit) ?? 0
      }
      const { at, bytes: output } = allocate(packets * Packets.packetBytes)
      const writer = Packets.makeWriter(output, at)
      for (let unit = from; unit < to; unit++) {
        const clocks = layout.clocks[unit] ?? 0
        const lastClock = (layout.lastClocks[unit] ?? 0) - Layout.lead
        for (let added = 1; added <= clocks; added++) writer.clock(clock, lastClock + Layout.clockInterval * added)
        const shown = layout.shown[unit] ?? 0
        const decoded = layout.decoded[unit] ?? 0
        const isVideo = layout.isVideo[unit] === 1
        const times = { shown, decoded, clock: isVideo || video === null ? decoded - Layout.lead : undefined }
        const first = ReadPlan.firstOf(firsts, unit)
        writer.pad(paddings.get(unit) ?? 0)
        if (isVideo) {
          const start = startOf(first)
          const frame = { bytes: bytesOf(first), start, end: start + (sizes[first] ?? 0) }
          const isSync = video?.track.samples.syncs[layout.samples[unit] ?? 0] === 1
          AccessUnits.putFrame(writer, frames, frame, times, isSync, parameters)
        } else if (audio !== null) {
          const group = { from: first, to: ReadPlan.firstOf(firsts, unit + 1), bytes: layout.bytes[unit] ?? 0 }
          AccessUnits.putGroup(writer, groups, samples, group, times, audio.track.codec)
        }
      }
      return output.subarray(at, at + packets * Packets.packetBytes)
    }
  }
}

/** Cuts a segment. Takes about 1 MiB of memory. */
export const segment = <E>(
  source: Source<E>,
  stream: TransportStream,
  number: number,
  { sequence = number, ...options }: CutOptions = {}
): Stream.Stream<Uint8Array, E | PackagingError> =>
  SegmentStream.make(source, (readBytes) => writerOf(stream, number, sequence, readBytes), options)
