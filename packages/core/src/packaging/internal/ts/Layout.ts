/**
 * The units of a segment of MPEG-TS as numbers: which samples each has, and when it is decoded and shown. A video of hours has a million
 * samples, so that its index is built without an object for each.
 */
import { unsupported } from "../../PackagingError.ts"
import * as SegmentPlan from "../../SegmentPlan.ts"
import type { AudioTrack, VideoTrack } from "../../SourceIndex.ts"
import type { Ranges } from "../ReadPlan.ts"
import * as AccessUnits from "./AccessUnits.ts"
import * as Packets from "./Packets.ts"

/** The tracks of a presentation. The video is H.264. */
export interface Tracks {
  readonly video: SegmentPlan.PlannedTrack<VideoTrack> | null
  readonly audio: SegmentPlan.PlannedTrack<AudioTrack> | null
}

/** One entry of each array for each unit, in the order in which they are written. Times are ticks of the 90 kHz clock. */
export interface Layout {
  /** Units. */
  readonly count: number
  /** 1 for a frame of video, 0 for packets of audio. */
  readonly isVideo: Uint8Array
  /** The first sample of its track. */
  readonly samples: Uint32Array
  /** How many samples it has. */
  readonly lengths: Uint8Array
  readonly decoded: Float64Array
  readonly shown: Float64Array
  /** Clock references that are written before the unit, in packets of their own. */
  readonly clocks: Uint32Array
  /** The clock reference before those. */
  readonly lastClocks: Float64Array
}

/** Ticks: when the presentation begins, and by which a sample arrives before it is decoded. */
const beginning = 126_000
export const lead = 63_000

/** Ticks between two clock references, at most (2.7.2). */
export const clockInterval = 9000

/** Ticks between the first and the last sample of a segment, at most, when they are decoded: frames may be decoded before the segment. */
const longestDecoding = 2 * SegmentPlan.longestSegment * Packets.clockRate

/** Bytes and frames of AAC in one PES packet, at most. One frame in each would take half as much again for headers. */
const maxGroupBytes = 2930
const maxGroupFrames = 8

/** Seconds: the time in the segments at which the presentation begins. */
export const firstTime = beginning / Packets.clockRate

const toTicks = (seconds: number): number => Math.round(seconds * Packets.clockRate) + beginning

/** Returns where the group of packets of audio ends that begins with a sample. A group has no gap. */
const endOfGroup = (track: AudioTrack, from: number, end: number): number => {
  const frame = (1024 * track.timeScale) / track.sampleRate
  let bytes = 0
  let index = from
  for (; index < end && index - from < maxGroupFrames; index++) {
    const length = track.samples.sizes[index] ?? 0
    AccessUnits.checkAudio(length)
    bytes += length + AccessUnits.adtsBytes
    if (index === from) continue
    const isLate = Math.abs(SegmentPlan.durationOf(track, index - 1) - frame) > frame / 50
    if (bytes > maxGroupBytes || isLate) break
  }
  return index
}

const boundsOf = (planned: { readonly firsts: Uint32Array } | null, segment: number): readonly [number, number] =>
  planned === null ? [0, 0] : [planned.firsts[segment] ?? 0, planned.firsts[segment + 1] ?? 0]

/** Returns when a sample is shown, in ticks of the 90 kHz clock; `Infinity` for none. */
const ticksOf = (track: AudioTrack | undefined, sample: number, end: number): number =>
  track === undefined || sample >= end ? Infinity : toTicks(SegmentPlan.shownAt(track, sample))

/** Lays out a segment. Throws if its samples cannot be in a transport stream. */
export const make = ({ audio, video }: Tracks, segment: number): Layout => {
  const [firstFrame, endOfFrames] = boundsOf(video, segment)
  const [firstPacket, endOfPackets] = boundsOf(audio, segment)
  const capacity = endOfFrames - firstFrame + endOfPackets - firstPacket
  const isVideo = new Uint8Array(capacity)
  const samples = new Uint32Array(capacity)
  const lengths = new Uint8Array(capacity)
  const decoded = new Float64Array(capacity)
  const shown = new Float64Array(capacity)
  const clocks = new Uint32Array(capacity)
  const lastClocks = new Float64Array(capacity)
  // In one loop without functions that share its variables: the engine keeps those in memory, one object for each value.
  let [count, begin, previous, lastClock] = [0, 0, 0, Infinity]
  let [frame, frameAt, frameShown] = [firstFrame, Infinity, 0]
  let [packet, packetAt] = [firstPacket, ticksOf(audio?.track, firstPacket, endOfPackets)]
  let isNextFrame = frame < endOfFrames
  for (;;) {
    if (isNextFrame && video !== null) {
      const seconds = SegmentPlan.shownAt(video.track, frame)
      frameAt = toTicks(seconds + (video.lead - (video.track.samples.delays[frame] ?? 0)) / video.track.timeScale)
      frameShown = toTicks(seconds)
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
    if (at - begin > longestDecoding) throw unsupported("The frames of a segment are decoded too far apart.")
    previous = at
    decoded[count] = at
    // Where units with a clock reference are far apart, others are added.
    lastClocks[count] = lastClock
    for (; lastClock + clockInterval < at; lastClock += clockInterval) clocks[count] = (clocks[count] ?? 0) + 1
    if (isFrame || video === null) lastClock = at
    if (isFrame) {
      isVideo[count] = 1
      samples[count] = frame++
      lengths[count] = 1
      shown[count] = frameShown
      isNextFrame = frame < endOfFrames
    } else if (audio !== null) {
      const end = endOfGroup(audio.track, packet, endOfPackets)
      samples[count] = packet
      lengths[count] = end - packet
      shown[count] = at
      packet = end
      packetAt = ticksOf(audio.track, packet, endOfPackets)
    }
    count++
  }
  return { count, isVideo, samples, lengths, decoded, shown, clocks, lastClocks }
}

/** Returns where the samples of a segment are. */
export const rangesOf = ({ audio, video }: Tracks, { count, isVideo, lengths, samples }: Layout): Ranges => {
  let total = 0
  for (let unit = 0; unit < count; unit++) total += lengths[unit] ?? 0
  const ranges = {
    offsets: new Float64Array(total),
    lengths: new Float64Array(total),
    firsts: new Uint32Array(count + 1)
  }
  let at = 0
  for (let unit = 0; unit < count; unit++) {
    ranges.firsts[unit] = at
    const first = samples[unit] ?? 0
    const track = (isVideo[unit] === 1 ? video : audio)?.track.samples
    for (let sample = first; sample < first + (lengths[unit] ?? 0); sample++, at++) {
      ranges.offsets[at] = track?.offsets[sample] ?? 0
      ranges.lengths[at] = track?.sizes[sample] ?? 0
    }
  }
  ranges.firsts[count] = at
  return ranges
}

/** Returns the packets of a unit, without those of clock references before it. `parameterBytes` are those before a keyframe. */
export const packetsOf = ({ audio, video }: Tracks, layout: Layout, unit: number, parameterBytes: number): number => {
  const first = layout.samples[unit] ?? 0
  if (layout.isVideo[unit] === 1) {
    const isSync = video?.track.samples.syncs[first] === 1
    const hasBothTimes = layout.decoded[unit] !== layout.shown[unit]
    const bytes = AccessUnits.bytesOfFrame(video?.track.samples.sizes[first] ?? 0, hasBothTimes)
    return Packets.countPackets(bytes + (isSync ? parameterBytes : 0), isSync, true)
  }
  const length = layout.lengths[unit] ?? 0
  let bytes = AccessUnits.bytesOfGroup(length)
  for (let sample = first; sample < first + length; sample++) bytes += audio?.track.samples.sizes[sample] ?? 0
  return Packets.countPackets(bytes, video === null, video === null)
}
