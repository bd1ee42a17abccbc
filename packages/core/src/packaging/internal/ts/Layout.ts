/**
 * The units of a segment of MPEG-TS as numbers: which samples each has, and when it is decoded and shown. A video of hours has a million
 * samples, so that its index is built without an object for each.
 */
import { unsupported } from "../../PackagingError.ts"
import * as Samples from "../../Samples.ts"
import * as SegmentPlan from "../../SegmentPlan.ts"
import type { SoundTrack, VideoTrack } from "../../SourceIndex.ts"
import * as ArrayMemory from "../ArrayMemory.ts"
import type * as ReadPlan from "../ReadPlan.ts"
import * as AccessUnits from "./AccessUnits.ts"
import * as Packets from "./Packets.ts"

/** The tracks of a presentation. The video is H.264. */
export interface Tracks {
  readonly video: SegmentPlan.PlannedTrack<VideoTrack> | null
  readonly audio: SegmentPlan.PlannedTrack<SoundTrack> | null
  /** Ticks by which all times are later. Default: 0. */
  readonly shift?: number | undefined
  /** Ticks between the first and the last sample of a segment, at most, when they are decoded. Default: twice the longest segment. */
  readonly longest?: number | undefined
}

/** One entry of each array for each unit, in the order in which they are written. Times are ticks of the 90 kHz clock. */
interface Columns {
  /** 1 for a frame of video, 0 for packets of audio. */
  readonly isVideo: Uint8Array
  /** The first sample of its track. */
  readonly samples: Uint32Array
  /** How many samples it has, and their bytes. */
  readonly lengths: Uint8Array
  readonly bytes: Uint32Array
  readonly decoded: Float64Array
  readonly shown: Float64Array
  /** Clock references that are written before the unit, in packets of their own. */
  readonly clocks: Uint32Array
  /** The clock reference before those. */
  readonly lastClocks: Float64Array
}

/** The arrays may be longer. */
export interface Layout extends Columns {
  /** Units. */
  readonly count: number
}

/** Memory in which one segment after the other is laid out: to allocate it for each takes as long as the rest. */
export interface Memory extends Columns {
  readonly capacity: number
  /** Where samples are, as `rangesOf` returns them. */
  readonly offsets: Float64Array
  readonly sizes: Uint32Array
  readonly firsts: Uint32Array
  /** Where units begin and end in the file, as `unitsOf` returns them. */
  readonly starts: Float64Array
  readonly ends: Float64Array
}

/** Ticks: when the presentation begins, and by which a sample arrives before it is decoded. */
const beginning = 126_000
export const lead = 63_000

/** Ticks between two clock references, at most (2.7.2). */
export const clockInterval = 9000

/** The usual longest time between the first and the last sample of a segment: frames may be decoded before the segment. */
const longestDecoding = 2 * SegmentPlan.longestSegment * Packets.clockRate

/** Bytes and frames of AAC in one PES packet, at most. One frame in each would take half as much again for headers. */
const maxGroupBytes = 2930
const maxGroupFrames = 8

/** Seconds: the time in the segments at which the presentation begins. */
export const firstTime = beginning / Packets.clockRate

/** Seconds before that at which a sample may be decoded: it arrives at the time 0 then. */
export const maxLead = (beginning - lead) / Packets.clockRate

const toTicks = (seconds: number, shift: number): number => Math.round(seconds * Packets.clockRate) + beginning + shift

/**
 * Returns where the group of packets of audio ends that begins with a sample, and writes the bytes of its samples as those of a unit. A group
 * has no gap.
 */
const endOfGroup = (track: SoundTrack, from: number, end: number, unit: number, unitBytes: Uint32Array): number => {
  const { sizes, times } = track.samples
  const frame = (AccessUnits.frameSamplesOf(track.codec) * track.timeScale) / track.sampleRate
  const headerBytes = AccessUnits.headerBytesOf(track.codec)
  const limit = Math.min(end, from + maxGroupFrames)
  let [bytes, time, index] = [0, (times[from] ?? 0) - frame, from]
  for (; index < limit; index++) {
    const size = sizes[index] ?? 0
    AccessUnits.checkAudio(size + headerBytes)
    const next = times[index] ?? 0
    const isLate = Math.abs(next - time - frame) > frame / 50
    if (index > from && (isLate || bytes + size + headerBytes * (index + 1 - from) > maxGroupBytes)) break
    bytes += size
    time = next
  }
  unitBytes[unit] = bytes
  return index
}

const boundsOf = (planned: { readonly firsts: Uint32Array } | null, segment: number): readonly [number, number] =>
  planned === null ? [0, 0] : [planned.firsts[segment] ?? 0, planned.firsts[segment + 1] ?? 0]

/** Returns when a sample is shown, in ticks of the 90 kHz clock; `Infinity` for none. */
const ticksOf = (track: SoundTrack | undefined, sample: number, end: number, shift: number): number =>
  track === undefined || sample >= end ? Infinity : toTicks(SegmentPlan.shownAt(track, sample), shift)

/** Returns the count of samples in a segment. */
const countSamples = ({ audio, video }: Tracks, segment: number): number => {
  const [firstFrame, endOfFrames] = boundsOf(video, segment)
  const [firstPacket, endOfPackets] = boundsOf(audio, segment)
  return endOfFrames - firstFrame + endOfPackets - firstPacket
}

/** Bytes of the arrays for each sample. */
const bytesPerSample = 6 * 8 + 5 * 4 + 2

const makeMemory = (capacity: number): Memory => {
  const { float64, uint32, uint8 } = ArrayMemory.make(bytesPerSample * capacity + 4)
  return {
    capacity,
    decoded: float64(capacity),
    shown: float64(capacity),
    lastClocks: float64(capacity),
    offsets: float64(capacity),
    starts: float64(capacity),
    ends: float64(capacity),
    samples: uint32(capacity),
    bytes: uint32(capacity),
    clocks: uint32(capacity),
    sizes: uint32(capacity),
    firsts: uint32(capacity + 1),
    isVideo: uint8(capacity),
    lengths: uint8(capacity)
  }
}

/** Makes memory for one segment. */
export const memoryOf = (tracks: Tracks, segment: number): Memory => makeMemory(countSamples(tracks, segment))

/** Makes memory for any of the first `count` segments. */
export const memoryFor = (tracks: Tracks, count: number): Memory => {
  let capacity = 0
  for (let segment = 0; segment < count; segment++) capacity = Math.max(capacity, countSamples(tracks, segment))
  return makeMemory(capacity)
}

/** Lays out a segment in memory, which is that of the result. Throws if its samples cannot be in a transport stream. */
export const make = (tracks: Tracks, segment: number, memory: Memory): Layout => {
  const { audio, longest = longestDecoding, shift: later = 0, video } = tracks
  const [firstFrame, endOfFrames] = boundsOf(video, segment)
  const [firstPacket, endOfPackets] = boundsOf(audio, segment)
  const { bytes, clocks, decoded, isVideo, lastClocks, lengths, samples, shown } = memory
  // Values that the loop does not look up for each sample.
  const { delays, sizes: frameSizes, times } = video?.track.samples ?? Samples.none
  const timeScale = video?.track.timeScale ?? 1
  const shift = (video?.track.pause ?? 0) - (video?.track.start ?? 0)
  const videoLead = video?.lead ?? 0
  // In one loop without functions that share its variables: the engine keeps those in memory, one object for each value.
  let [count, begin, previous, lastClock] = [0, 0, 0, Infinity]
  let [frame, frameAt, frameShown] = [firstFrame, Infinity, 0]
  let [packet, packetAt] = [firstPacket, ticksOf(audio?.track, firstPacket, endOfPackets, later)]
  let isNextFrame = frame < endOfFrames
  for (;;) {
    if (isNextFrame) {
      const delay = delays[frame] ?? 0
      const seconds = ((times[frame] ?? 0) + delay + shift) / timeScale
      frameAt = toTicks(seconds + (videoLead - delay) / timeScale, later)
      frameShown = toTicks(seconds, later)
      isNextFrame = false
    }
    const isFrame = frame < endOfFrames && frameAt <= packetAt
    if (!isFrame && packet >= endOfPackets) break
    const at = isFrame ? frameAt : packetAt
    if (at < lead) {
      throw unsupported(isFrame ? "Frames are decoded too long before they are shown." : "The audio begins too early.")
    }
    if (count === 0) [begin, previous] = [at, at]
    if (at < previous) throw unsupported("The packets of a track are out of order.")
    if (at - begin > longest) throw unsupported("The frames of a segment are decoded too far apart.")
    previous = at
    decoded[count] = at
    // Where units with a clock reference are far apart, others are added.
    // Nothing arrives in a gap of the timestamps: it is not filled.
    if (at - lastClock > longestDecoding) lastClock = at - clockInterval
    lastClocks[count] = lastClock
    let added = 0
    for (; lastClock + clockInterval < at; lastClock += clockInterval) added++
    clocks[count] = added
    if (isFrame || video === null) lastClock = at
    isVideo[count] = isFrame ? 1 : 0
    if (isFrame) {
      bytes[count] = frameSizes[frame] ?? 0
      samples[count] = frame++
      lengths[count] = 1
      shown[count] = frameShown
      isNextFrame = frame < endOfFrames
    } else if (audio !== null) {
      const end = endOfGroup(audio.track, packet, endOfPackets, count, bytes)
      samples[count] = packet
      lengths[count] = end - packet
      shown[count] = at
      packet = end
      packetAt = ticksOf(audio.track, packet, endOfPackets, later)
    }
    count++
  }
  return { count, isVideo, samples, lengths, bytes, decoded, shown, clocks, lastClocks }
}

/** Returns where the samples of a segment are, in the memory in which it was laid out. */
export const rangesOf = ({ audio, video }: Tracks, { count }: Layout, memory: Memory): ReadPlan.Ranges => {
  const { firsts, isVideo, lengths, offsets, samples, sizes } = memory
  let at = 0
  for (let unit = 0; unit < count; unit++) {
    firsts[unit] = at
    const track = (isVideo[unit] === 1 ? video : audio)?.track.samples
    if (track === undefined) continue
    const first = samples[unit] ?? 0
    const end = first + (lengths[unit] ?? 0)
    for (let sample = first; sample < end; sample++, at++) {
      offsets[at] = track.offsets[sample] ?? 0
      sizes[at] = track.sizes[sample] ?? 0
    }
  }
  firsts[count] = at
  return { offsets: offsets.subarray(0, at), lengths: sizes.subarray(0, at), firsts: firsts.subarray(0, count + 1) }
}

/** Returns where the units of a segment are, in the memory in which it was laid out; undefined if samples are not in the order of the file. */
export const unitsOf = (
  { audio, video }: Tracks,
  { bytes, count, isVideo, lengths, samples }: Layout,
  memory: Memory
): ReadPlan.Units | undefined => {
  const { ends, starts } = memory
  const frames = video?.track.samples ?? Samples.none
  const packets = audio?.track.samples ?? Samples.none
  if (!frames.isOrdered || !packets.isOrdered) return undefined
  for (let unit = 0; unit < count; unit++) {
    const { offsets, sizes } = isVideo[unit] === 1 ? frames : packets
    const first = samples[unit] ?? 0
    const last = first + (lengths[unit] ?? 0) - 1
    starts[unit] = offsets[first] ?? 0
    ends[unit] = (offsets[last] ?? 0) + (sizes[last] ?? 0)
  }
  return { count, starts, ends, bytes }
}

/** Returns the packets of a unit, without those of clock references before it. `parameterBytes` are those before a keyframe. */
export const packetsOf = ({ audio, video }: Tracks, layout: Layout, unit: number, parameterBytes: number): number => {
  const sampleBytes = layout.bytes[unit] ?? 0
  if (layout.isVideo[unit] === 1) {
    const isSync = video?.track.samples.syncs[layout.samples[unit] ?? 0] === 1
    const hasBothTimes = layout.decoded[unit] !== layout.shown[unit]
    const bytes = AccessUnits.bytesOfFrame(sampleBytes, hasBothTimes)
    return Packets.countPackets(bytes + (isSync ? parameterBytes : 0), isSync, true)
  }
  const headerBytes = AccessUnits.headerBytesOf(audio?.track.codec)
  const bytes = AccessUnits.bytesOfGroup(layout.lengths[unit] ?? 0, headerBytes) + sampleBytes
  return Packets.countPackets(bytes, video === null, video === null)
}
