/**
 * Cuts segments of MPEG-TS (ISO/IEC 13818-1) with H.264 and AAC from the samples of a file, for HLS (RFC 8216, section 3.2).
 *
 * The sizes of all segments are known from the index alone. Continuity counters run on from one segment to the next.
 */
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Avc } from "./Codec.ts"
import type { CutOptions } from "./FragmentedMp4.ts"
import { attempt } from "./internal/Attempt.ts"
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
import type { AudioTrack, VideoTrack } from "./SourceIndex.ts"

type Audio = SegmentPlan.PlannedTrack<AudioTrack>
type Video = SegmentPlan.PlannedTrack<VideoTrack & { readonly codec: Avc }>

export interface TransportStream {
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

const rangeOf = ({ samples: { offsets, sizes } }: VideoTrack | AudioTrack, index: number) => ({
  offset: offsets[index] ?? 0,
  length: sizes[index] ?? 0
})

/** Returns the units of a segment. `parameterBytes` are those before a keyframe. */
const unitsOf = (
  tracks: Pick<TransportStream, "audio" | "video">,
  segment: number,
  parameterBytes: number
): ReadonlyArray<AccessUnits.AccessUnit> => {
  const layout = Layout.make(tracks, segment)
  const hasVideo = tracks.video !== null
  return Array.from({ length: layout.count }, (_, unit): AccessUnits.AccessUnit => {
    const isVideo = layout.isVideo[unit] === 1
    const track = (isVideo ? tracks.video : tracks.audio)?.track
    const first = layout.samples[unit] ?? 0
    const decoded = layout.decoded[unit] ?? 0
    const isSync = !isVideo || track?.samples.syncs[first] === 1
    const clocks = layout.clocks[unit] ?? 0
    const lastClock = (layout.lastClocks[unit] ?? 0) - Layout.lead
    return {
      isVideo,
      ranges:
        track === undefined
          ? []
          : Array.from({ length: layout.lengths[unit] ?? 0 }, (_, at) => rangeOf(track, first + at)),
      shown: layout.shown[unit] ?? 0,
      decoded,
      isSync,
      adaptation: {
        isEntry: isVideo ? isSync : !hasVideo,
        clock: isVideo || !hasVideo ? decoded - Layout.lead : undefined
      },
      clocksBefore: Array.from({ length: clocks }, (_, at) => lastClock + Layout.clockInterval * (at + 1)),
      packets: clocks + Layout.packetsOf(tracks, layout, unit, parameterBytes)
    }
  })
}

const parametersOf = (video: Video | null): Uint8Array =>
  video === null ? new Uint8Array() : AccessUnits.parametersOf(video.track.codec)

/** The two tables at the beginning of each segment. */
const tablePackets = 2

const isAvc = (planned: SegmentPlan.PlannedTrack<VideoTrack>): planned is Video => planned.track.codec._tag === "Avc"

/** Plans a transport stream of some of the tracks. Fails if they cannot be in one. */
export const make = (
  count: number,
  video: SegmentPlan.PlannedTrack<VideoTrack> | null,
  audio: Audio | null
): Effect.Effect<TransportStream, PackagingError> =>
  Effect.gen(function* () {
    if (video !== null && !isAvc(video)) return yield* unsupported("MPEG-TS has no support for the codec of the video.")
    if (video !== null && video.track.codec.lengthBytes !== 4) {
      return yield* unsupported("The frames of the video have an unusual length field.")
    }
    const tracks = { video, audio }
    const parameters = parametersOf(video)
    const sizes = new Float64Array(count)
    const counters = new Uint8Array(2 * count)
    const keyframes = new Float64Array(count)
    const packets = { video: 0, audio: 0 }
    const memory = Layout.memoryFor(tracks, count)
    const turns = Turns.make()
    for (let segment = 0; segment < count; segment++) {
      const units = yield* attempt(() => {
        counters[2 * segment] = packets.video & 15
        counters[2 * segment + 1] = packets.audio & 15
        const layout = Layout.make(tracks, segment, memory)
        ReadPlan.check(Layout.rangesOf(tracks, layout, memory))
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
        sizes[segment] = total * Packets.packetBytes
        return layout.count
      })
      yield* turns.after(units)
    }
    return { video, audio, sizes, keyframes, counters }
  })

/** Cuts a segment. Takes about 1 MiB of memory. */
export const segment = <E>(
  source: Source<E>,
  stream: TransportStream,
  number: number,
  { isTransient = false, sequence = number }: CutOptions = {}
): Stream.Stream<Uint8Array, E | PackagingError> => {
  const { audio, counters: all, video } = stream
  const parameters = parametersOf(video)
  const clockPid = video === null ? Tables.audioPid : Tables.videoPid
  return SegmentStream.make(
    source,
    () => ReadPlan.make(unitsOf(stream, number, parameters.length)),
    () => {
      const counters = new Map([
        [Tables.tablePid, sequence & 15],
        [Tables.programPid, sequence & 15],
        [Tables.videoPid, all[2 * number] ?? 0],
        [Tables.audioPid, all[2 * number + 1] ?? 0]
      ])
      const tables = Packets.makeWriter(new Uint8Array(tablePackets * Packets.packetBytes), counters)
      tables.section(Tables.tablePid, Tables.programAssociation)
      tables.section(Tables.programPid, Tables.programMap({ hasAudio: audio !== null, hasVideo: video !== null }))
      return {
        head: tables.output,
        write: (units, get, allocate) => {
          const packets = units.reduce((sum, unit) => sum + unit.packets, 0)
          const writer = Packets.makeWriter(allocate(packets * Packets.packetBytes), counters)
          for (const unit of units) {
            for (const ticks of unit.clocksBefore) writer.clock(clockPid, ticks)
            const samples = unit.ranges.map(get)
            const [first = new Uint8Array()] = samples
            const { memory } = Packets
            if (unit.isVideo) {
              writer.pes(Tables.videoPid, AccessUnits.videoPacket(unit, first, parameters, memory), unit.adaptation)
            } else if (audio !== null) {
              writer.pes(
                Tables.audioPid,
                AccessUnits.audioPacket(unit, samples, audio.track.codec, memory),
                unit.adaptation
              )
            }
          }
          return writer.output
        }
      }
    },
    isTransient
  )
}
