/**
 * Cuts segments of MPEG-TS (ISO/IEC 13818-1) with H.264 and AAC from the samples of a file, for HLS (RFC 8216, section 3.2).
 *
 * The sizes of all segments are known from the index alone. Continuity counters run on from one segment to the next.
 */
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Avc } from "./Codec.ts"
import { attempt } from "./internal/Attempt.ts"
import * as ReadPlan from "./internal/ReadPlan.ts"
import * as SegmentStream from "./internal/SegmentStream.ts"
import * as AccessUnits from "./internal/ts/AccessUnits.ts"
import * as Packets from "./internal/ts/Packets.ts"
import * as Tables from "./internal/ts/Tables.ts"
import { type PackagingError, unsupported } from "./PackagingError.ts"
import * as SegmentPlan from "./SegmentPlan.ts"
import type { Source } from "./Source.ts"
import type { AudioTrack, VideoTrack } from "./SourceIndex.ts"

type Audio = SegmentPlan.PlannedTrack<AudioTrack>
type Video = SegmentPlan.PlannedTrack<VideoTrack & { readonly codec: Avc }>

export interface TransportStream {
  readonly video: Video | null
  readonly audio: Audio | null
  /** Bytes of each segment. */
  readonly sizes: Float64Array
  /** Continuity counters of video and audio at the beginning of each segment, in turns. */
  readonly counters: Uint8Array
}

/** Ticks of the 90 kHz clock: when the presentation begins, and by which a sample arrives before it is decoded. */
const beginning = 126_000
const lead = 63_000

/** Ticks between two clock references, at most (2.7.2). */
const clockInterval = 9000

/** Ticks between the first and the last sample of a segment, at most, when they are decoded: frames may be decoded before the segment. */
const longestDecoding = 2 * SegmentPlan.longestSegment * Packets.clockRate

/** Bytes and frames of AAC in one PES packet, at most. One frame in each would take half as much again for headers. */
const maxGroupBytes = 2930
const maxGroupFrames = 8

/** Seconds: the time in the segments at which the presentation begins. */
export const firstTime = beginning / Packets.clockRate

const toTicks = (seconds: number): number => Math.round(seconds * Packets.clockRate) + beginning

const rangeOf = ({ samples: { offsets, sizes } }: VideoTrack | AudioTrack, index: number) => ({
  offset: offsets[index] ?? 0,
  length: sizes[index] ?? 0
})

/** Returns the frames of a segment as units. */
const videoUnits = ({ firsts, lead: early, track }: Video, segment: number): ReadonlyArray<AccessUnits.AccessUnit> => {
  const units: Array<AccessUnits.AccessUnit> = []
  for (let index = firsts[segment] ?? 0; index < (firsts[segment + 1] ?? 0); index++) {
    const { delays, syncs } = track.samples
    const seconds = SegmentPlan.shownAt(track, index)
    const decoded = toTicks(seconds + (early - (delays[index] ?? 0)) / track.timeScale)
    if (decoded < lead) throw unsupported("Frames are decoded too long before they are shown.")
    const isSync = syncs[index] === 1
    units.push({
      isVideo: true,
      ranges: [rangeOf(track, index)],
      shown: toTicks(seconds),
      decoded,
      isSync,
      adaptation: { isEntry: isSync, clock: decoded - lead },
      clocksBefore: []
    })
  }
  return units
}

/** Returns the packets of audio of a segment as units of several, unless there is a gap between them. */
const audioUnits = ({ firsts, track }: Audio, segment: number, hasClock: boolean) => {
  const units: Array<AccessUnits.AccessUnit> = []
  const end = firsts[segment + 1] ?? 0
  const frame = (1024 * track.timeScale) / track.sampleRate
  for (let index = firsts[segment] ?? 0; index < end;) {
    const decoded = toTicks(SegmentPlan.shownAt(track, index))
    const ranges = []
    for (let bytes = 0; index < end && ranges.length < maxGroupFrames; index++) {
      const range = rangeOf(track, index)
      AccessUnits.checkAudio(range)
      bytes += range.length + AccessUnits.adtsBytes
      const isFirst = ranges.length === 0
      const isLate = Math.abs(SegmentPlan.durationOf(track, index - 1) - frame) > frame / 50
      if (!isFirst && (bytes > maxGroupBytes || isLate)) break
      ranges.push(range)
    }
    const clock = hasClock ? decoded - lead : undefined
    if (decoded < lead) throw unsupported("The audio begins too early.")
    units.push({
      isVideo: false,
      ranges,
      shown: decoded,
      decoded,
      isSync: true,
      adaptation: { isEntry: hasClock, clock },
      clocksBefore: []
    })
  }
  return units
}

/** Joins units by the times at which they are decoded. */
const interleave = (
  video: ReadonlyArray<AccessUnits.AccessUnit>,
  audio: ReadonlyArray<AccessUnits.AccessUnit>
): ReadonlyArray<AccessUnits.AccessUnit> => {
  const units: Array<AccessUnits.AccessUnit> = []
  let next = 0
  for (const unit of video) {
    for (let other = audio[next]; other !== undefined && other.decoded < unit.decoded; other = audio[++next]) {
      units.push(other)
    }
    units.push(unit)
  }
  return [...units, ...audio.slice(next)]
}

/** Adds clock references where units with one are far apart. Throws if the times of a segment permit references without end. */
const addClocks = (units: ReadonlyArray<AccessUnits.AccessUnit>): ReadonlyArray<AccessUnits.AccessUnit> => {
  const begin = units[0]?.decoded ?? 0
  let [last, previous] = [Infinity, begin]
  return units.map((unit) => {
    if (unit.decoded < previous) throw unsupported("The packets of a track are out of order.")
    if (unit.decoded - begin > longestDecoding) throw unsupported("The frames of a segment are decoded too far apart.")
    previous = unit.decoded
    const clocksBefore: Array<number> = []
    for (; last + clockInterval < unit.decoded; last += clockInterval) clocksBefore.push(last + clockInterval - lead)
    if (unit.adaptation.clock !== undefined) last = unit.decoded
    return clocksBefore.length === 0 ? unit : AccessUnits.withClocks(unit, clocksBefore)
  })
}

type Tracks = Pick<TransportStream, "audio" | "video">

const unitsOf = ({ audio, video }: Tracks, segment: number): ReadonlyArray<AccessUnits.AccessUnit> =>
  addClocks(
    interleave(
      video === null ? [] : videoUnits(video, segment),
      audio === null ? [] : audioUnits(audio, segment, video === null)
    )
  )

const parametersOf = (video: Video | null): Uint8Array =>
  video === null ? new Uint8Array() : AccessUnits.parametersOf(video.track.codec)

const packetsOf = (unit: AccessUnits.AccessUnit, parameters: Uint8Array): number =>
  Packets.countPackets(AccessUnits.bytesOf(unit, parameters.length), unit.adaptation)

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
    const packets = { video: 0, audio: 0 }
    for (let segment = 0; segment < count; segment++) {
      yield* attempt(() => {
        counters.set([packets.video & 15, packets.audio & 15], 2 * segment)
        const units = unitsOf(tracks, segment)
        ReadPlan.make(units)
        let total = tablePackets
        for (const unit of units) {
          const added = packetsOf(unit, parameters)
          packets[unit.isVideo ? "video" : "audio"] += added
          total += added + unit.clocksBefore.length
        }
        sizes[segment] = total * Packets.packetBytes
      })
      yield* Effect.yieldNow
    }
    return { video, audio, sizes, counters }
  })

/** Cuts a segment. `sequence` is its number in the presentation, if `stream` is only a part of that. Takes about 2 MiB of memory. */
export const segment = <E>(
  source: Source<E>,
  stream: TransportStream,
  number: number,
  sequence = number
): Stream.Stream<Uint8Array, E | PackagingError> => {
  const { audio, counters: all, video } = stream
  const parameters = parametersOf(video)
  const clockPid = video === null ? Tables.audioPid : Tables.videoPid
  return SegmentStream.make(
    source,
    () => ReadPlan.make(unitsOf(stream, number)),
    () => {
      const counters = new Map([
        [Tables.tablePid, sequence & 15],
        [Tables.programPid, sequence & 15],
        [Tables.videoPid, all[2 * number] ?? 0],
        [Tables.audioPid, all[2 * number + 1] ?? 0]
      ])
      const head = new Uint8Array(tablePackets * Packets.packetBytes)
      const tables = Packets.makeWriter(head, counters)
      tables.section(Tables.tablePid, Tables.programAssociation)
      tables.section(Tables.programPid, Tables.programMap({ hasAudio: audio !== null, hasVideo: video !== null }))
      return {
        head,
        write: (units, get) => {
          const packets = units.reduce((sum, unit) => sum + packetsOf(unit, parameters) + unit.clocksBefore.length, 0)
          const output = new Uint8Array(packets * Packets.packetBytes)
          const writer = Packets.makeWriter(output, counters)
          for (const unit of units) {
            for (const ticks of unit.clocksBefore) writer.clock(clockPid, ticks)
            const samples = unit.ranges.map(get)
            const [first = new Uint8Array()] = samples
            if (unit.isVideo) {
              writer.pes(Tables.videoPid, AccessUnits.videoChunks(unit, first, parameters), unit.adaptation)
            } else if (audio !== null) {
              writer.pes(Tables.audioPid, AccessUnits.audioChunks(unit, samples, audio.track.codec), unit.adaptation)
            }
          }
          return [output]
        }
      }
    }
  )
}
