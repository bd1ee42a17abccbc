/**
 * Cuts segments of fragmented MP4 from a track of a file, for DASH (ISO/IEC 23009-1) and CMAF (ISO/IEC 23000-19). Each segment is one
 * fragment with its own index.
 *
 * Times are those of the track, in its own time scale. A manifest states with `presentationTimeOffset` where the presentation begins.
 */
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { concat } from "../storage/ByteChunks.ts"
import { box, fullBox, text, uint32, uint64 } from "./internal/fragments/BoxWriter.ts"
import * as Initialization from "./internal/fragments/Initialization.ts"
import * as NalUnits from "./internal/h264/NalUnits.ts"
import * as Memory from "./internal/Memory.ts"
import * as ReadPlan from "./internal/ReadPlan.ts"
import * as SegmentStream from "./internal/SegmentStream.ts"
import * as Turns from "./internal/Turns.ts"
import { limitExceeded, type PackagingError, unsupported } from "./PackagingError.ts"
import type { Samples } from "./Samples.ts"
import * as SegmentPlan from "./SegmentPlan.ts"
import type { Source } from "./Source.ts"
import type { SoundTrack, VideoTrack } from "./SourceIndex.ts"

type Track = VideoTrack | SoundTrack

/** How a segment is cut. */
export interface CutOptions extends ReadOptions {
  /** Its number in the presentation, if what is given is only a part of that. */
  readonly sequence?: number
}

export type ReadOptions = SegmentStream.ReadOptions

type Planned = SegmentPlan.PlannedTrack<Track>

/** The initialization segment of a track. */
export const initialization: (track: Track) => Uint8Array = Initialization.initialization

/** Returns the time of a track at which the presentation begins, in ticks (`presentationTimeOffset`). */
export const offsetOf = ({ start }: Track): number => start

/** Returns when a sample is shown, in ticks of the track. */
const shownAt = ({ pause, samples: { delays, times } }: Track, index: number): number =>
  (times[index] ?? 0) + (delays[index] ?? 0) + pause

/** What a loop finds out of the samples between two. */
interface Measured {
  /** Ticks when they begin and end to be shown. */
  readonly start: number
  readonly end: number
  /** Ticks for which a sample lasts, at most; or more, but no more than all of them. */
  readonly longest: number
  /** Bytes. */
  readonly bytes: number
}

const sum = (sizes: Uint32Array, from: number, to: number): number => {
  let bytes = 0
  for (let index = from; index < to; index++) bytes += sizes[index] ?? 0
  return bytes
}

/**
 * Measures the samples between two, without the pause before the track. Without samples their times are infinite. It takes samples and not
 * a track, because the engine compiles a loop again for objects of another shape, and a track of video has another one than one of audio.
 */
const measureSamples = (samples: Samples, from: number, to: number): Measured => {
  const { count, delays, end: last, isPlain, sizes, times } = samples
  if (isPlain) {
    const start = times[from] ?? 0
    const end = to < count ? (times[to] ?? 0) : last
    return { start, end, longest: end - start, bytes: sum(sizes, from, to) }
  }
  let [start, end, longest, bytes, time] = [Infinity, -Infinity, 0, 0, times[from] ?? 0]
  for (let index = from; index < to; index++) {
    const delay = delays[index] ?? 0
    const next = index + 1 < count ? (times[index + 1] ?? 0) : last
    if (time + delay < start) start = time + delay
    if (next + delay > end) end = next + delay
    if (next - time > longest) longest = next - time
    bytes += sizes[index] ?? 0
    time = next
  }
  return { start, end, longest, bytes }
}

/** Measures a segment, in ticks of the track. It ends where the next one begins. `longest` is that of a sample or the segment. */
const measureSegment = ({ firsts, track }: Planned, segment: number): Measured => {
  const from = firsts[segment] ?? 0
  const to = firsts[segment + 1] ?? 0
  const { pause, samples } = track
  const next = to < samples.count ? shownAt(track, to) : undefined
  if (from === to) {
    const at = next ?? samples.end + pause
    return { start: at, end: at, longest: 0, bytes: 0 }
  }
  const { bytes, longest, ...shown } = measureSamples(samples, from, to)
  const start = shown.start + pause
  const end = next ?? Math.max(0, shown.end + pause)
  return { start, end, longest: Math.max(longest, end - start), bytes }
}

/** Bytes of the samples of a segment: the box around them states its size with 32 bits. */
const maxBytes = 2 ** 31

/** Flags of samples (ISO/IEC 14496-12, 8.8.3.1): those that depend on no other, and those that do. */
const sync = 0x0200_0000
const dependent = 0x0101_0000

/** The fields of a run: where its bytes are, and for each sample duration, size, flags and delay. */
const runFlags = 0x1 | 0x100 | 0x200 | 0x400 | 0x800
/** Offsets count from the box `moof`. */
const relativeToMoof = 0x2_0000

/** Bytes of the boxes before the samples of a segment: `styp`, `sidx`, `moof` without entries, and the header of `mdat`. */
const emptyHeadBytes = 28 + 52 + 88 + 8
/** Bytes of the entry of a sample in `trun`. */
const entryBytes = 16

/** Makes the box `moof` of a segment. The bytes of the samples follow it, in a box `mdat`. */
const fragment = ({ firsts, track }: Planned, segment: number, sequence: number): Uint8Array => {
  const { delays, sizes, syncs, times } = track.samples
  const first = firsts[segment] ?? 0
  const count = (firsts[segment + 1] ?? 0) - first
  const entries = new DataView(new ArrayBuffer(entryBytes * count))
  for (let index = 0; index < count; index++) {
    const sample = first + index
    entries.setUint32(entryBytes * index, SegmentPlan.durationOf(track, sample))
    entries.setUint32(entryBytes * index + 4, sizes[sample] ?? 0)
    entries.setUint32(entryBytes * index + 8, syncs[sample] === 1 ? sync : dependent)
    entries.setInt32(entryBytes * index + 12, delays[sample] ?? 0)
  }
  const moof = box(
    "moof",
    fullBox("mfhd", [0, 0], uint32(sequence + 1)),
    box(
      "traf",
      fullBox("tfhd", [0, relativeToMoof], uint32(Initialization.trackId)),
      fullBox("tfdt", [1, 0], uint64((times[first] ?? track.samples.end) + track.pause)),
      fullBox("trun", [1, runFlags], uint32(count, 0), new Uint8Array(entries.buffer))
    )
  )
  // Where the samples are follows from the bytes of the box: the field is the last one before the entries.
  new DataView(moof.buffer).setUint32(moof.length - entries.byteLength - 4, moof.length + 8)
  return moof
}

const rangesOf = ({ firsts, track: { samples } }: Planned, segment: number): ReadPlan.Ranges => {
  const from = firsts[segment] ?? 0
  const to = firsts[segment + 1] ?? 0
  const offsets = Float64Array.from(samples.offsets.subarray(from, to))
  return { offsets, lengths: samples.sizes.subarray(from, to), firsts: undefined }
}

/** Returns the samples of a segment, `bytes` in all, as one unit; undefined if they are not in the order of the file. */
const unitsOf = (
  { firsts, track: { samples } }: Planned,
  segment: number,
  bytes: number
): ReadPlan.Units | undefined => {
  if (!samples.isOrdered) return undefined
  const from = firsts[segment] ?? 0
  const to = firsts[segment + 1] ?? 0
  const end = (samples.offsets[to - 1] ?? 0) + (samples.sizes[to - 1] ?? 0)
  return {
    count: from < to ? 1 : 0,
    starts: Float64Array.of(samples.offsets[from] ?? 0),
    ends: Float64Array.of(end),
    bytes: Uint32Array.of(bytes)
  }
}

/** Makes what comes before the samples of a segment: type, index, fragment, and the header of the samples' box. */
const headOf = (planned: Planned, segment: number, sequence: number): Uint8Array => {
  const moof = fragment(planned, segment, sequence)
  const { bytes, end, start } = measureSegment(planned, segment)
  const index = fullBox(
    "sidx",
    [1, 0],
    uint32(Initialization.trackId, planned.track.timeScale),
    uint64(start),
    uint64(0),
    // One reference, to a fragment that begins with a sample that depends on no other.
    uint32(1, moof.length + 8 + bytes, end - start, 0x9000_0000)
  )
  return concat([
    box("styp", text("msdh"), uint32(0), text("msdhmsixcmfs")),
    index,
    moof,
    uint32(8 + bytes),
    text("mdat")
  ])
}

/** The longest duration that the boxes state, in ticks. */
const maxDuration = 2 ** 32 - 1

/** Returns the bytes of a segment. */
export const sizeOf = (planned: Planned, segment: number): number => {
  const count = (planned.firsts[segment + 1] ?? 0) - (planned.firsts[segment] ?? 0)
  return emptyHeadBytes + entryBytes * count + measureSegment(planned, segment).bytes
}

/** The segments of a track. */
export interface MeasuredSegments {
  /** Bytes of the samples of each. */
  readonly bytes: Float64Array
  /** When each segment begins, and when the last one ends, in ticks (`SegmentTimeline`). */
  readonly times: Float64Array
}

/** Measures the segments of a track. Fails if it cannot be cut. */
export const measure = (planned: Planned): Effect.Effect<MeasuredSegments, PackagingError> =>
  Effect.suspend(() => {
    const { firsts } = planned
    const count = firsts.length - 1
    const bytes = new Float64Array(count)
    const times = new Float64Array(count + 1)
    const step = (segment: number): number => {
      const measured = measureSegment(planned, segment)
      if (measured.bytes > maxBytes) throw limitExceeded("A segment is too large.")
      ReadPlan.check(unitsOf(planned, segment, measured.bytes), () => rangesOf(planned, segment))
      if (measured.longest > maxDuration) throw unsupported("The time scale of a track is too fine.")
      bytes[segment] = measured.bytes
      times[segment] = measured.start
      if (segment === count - 1) times[count] = measured.end
      return (firsts[segment + 1] ?? 0) - (firsts[segment] ?? 0)
    }
    return Effect.map(Turns.forEach(count, step), () => {
      // A segment without samples begins where the next one does.
      for (let segment = count - 1; segment >= 0; segment--) {
        if (firsts[segment] === firsts[segment + 1]) times[segment] = times[segment + 1] ?? 0
      }
      return { bytes, times }
    })
  })

/** Makes the writer of a segment, which reads some bytes at once. Throws if its samples are too far apart. */
const writerOf = (planned: Planned, number: number, sequence: number, readBytes: number): SegmentStream.Writer => {
  const ranges = rangesOf(planned, number)
  const { lengths } = ranges
  const { codec } = planned.track
  return {
    plan: ReadPlan.make(ranges, readBytes),
    head: headOf(planned, number, sequence),
    write: (from, to, { bytesOf: memoryOf, startOf }, allocate) => {
      let total = 0
      for (let sample = from; sample < to; sample++) total += lengths[sample] ?? 0
      const output = allocate(total)
      let { at } = output
      // Samples that are next to each other are copied at once.
      let run: Uint8Array = new Uint8Array()
      let [runStart, runEnd] = [0, 0]
      for (let sample = from; sample < to; sample++) {
        const bytes = memoryOf(sample)
        const start = startOf(sample)
        const end = start + (lengths[sample] ?? 0)
        if ("lengthBytes" in codec) NalUnits.check(bytes, start, end, codec.lengthBytes)
        if (bytes !== run || start !== runEnd) {
          Memory.move(run, runStart, runEnd, output.bytes, at)
          at += runEnd - runStart
          run = bytes
          runStart = start
        }
        runEnd = end
      }
      Memory.move(run, runStart, runEnd, output.bytes, at)
      return output.bytes.subarray(output.at, output.at + total)
    }
  }
}

/** Cuts a segment. Takes about 1 MiB of memory. */
export const segment = <E>(
  source: Source<E>,
  planned: Planned,
  number: number,
  { sequence = number, ...options }: CutOptions = {}
): Stream.Stream<Uint8Array, E | PackagingError> =>
  SegmentStream.make(source, (readBytes) => writerOf(planned, number, sequence, readBytes), options)
