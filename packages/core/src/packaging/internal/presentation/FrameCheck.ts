/**
 * Checks the frames of a segment of H.264 or H.265: whether a player can begin with it; and frames of AAC.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { malformed, type PackagingError, unsupported } from "../../PackagingError.ts"
import type { PlannedTrack } from "../../SegmentPlan.ts"
import type { Source } from "../../Source.ts"
import type { Hevc } from "../../Codec.ts"
import type { AudioTrack, VideoTrack } from "../../SourceIndex.ts"
import * as RawDataBlock from "../aac/RawDataBlock.ts"
import * as NalUnits from "../h264/NalUnits.ts"
import * as HevcUnits from "../h265/NalUnits.ts"
import * as ReadPlan from "../ReadPlan.ts"
import * as SegmentStream from "../SegmentStream.ts"
import type { HevcTrack } from "./PlayableHevc.ts"
import type { PlayableVideo } from "./PlayableTracks.ts"

/** Types of NAL units (ITU-T H.264, table 7-1). */
const firstSlice = 1
const keySlice = 5
const sequenceParameters = 7

const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

const changesParameters = () => unsupported("The video changes its parameters.")
const needsOthers = () => unsupported("A segment begins with a frame that needs others.")

/** Checks a frame. The first one has to be a keyframe that needs no other. */
const checkFrame = (frame: Uint8Array, isFirst: boolean, { lengthBytes, ...codec }: PlayableVideo["codec"]): void => {
  let hasSlice = false
  for (const unit of NalUnits.unitsOf(frame, lengthBytes)) {
    const type = (unit[0] ?? 0) & 0x1f
    if (type === sequenceParameters && !codec.sequenceParameters.some((known) => isEqual(known, unit))) {
      throw changesParameters()
    }
    if (type < firstSlice || type > keySlice || hasSlice) continue
    if (isFirst && type !== keySlice) throw needsOthers()
    hasSlice = true
  }
  if (!hasSlice) throw malformed("A frame of the video is empty.")
}

/** Makes the check of the frames of a segment of H.265, in their order. */
const makeHevcCheck = ({ lengthBytes, pictureParameters, sequenceParameters, videoParameters }: Hevc) => {
  const { types } = HevcUnits
  const parameters = new Map<number, ReadonlyArray<Uint8Array>>([
    [types.videoParameters, videoParameters],
    [types.sequenceParameters, sequenceParameters],
    [types.pictureParameters, pictureParameters]
  ])
  const ids = new Set(pictureParameters.map((unit) => HevcUnits.pictureParametersOf(unit).id))
  let entries = 0
  return (frame: Uint8Array): void => {
    let hasSlice = false
    for (const unit of NalUnits.unitsOf(frame, lengthBytes)) {
      const type = HevcUnits.typeOf(unit)
      if (HevcUnits.layerOf(unit) > 0) continue
      if (parameters.get(type)?.some((known) => isEqual(known, unit)) === false) throw changesParameters()
      if (type > types.lastSlice) continue
      const begins = HevcUnits.isEntry(type)
      if (entries === 0 && !begins) throw needsOthers()
      // Such a frame needs others before the first one, unless a later one begins anew.
      if (entries === 1 && type >= types.firstSkipped && type <= types.lastSkipped) throw needsOthers()
      const slice = HevcUnits.sliceOf(unit)
      if (!ids.has(slice.pictureParameters) || slice.isFirst === hasSlice) {
        throw malformed("A frame of the video is damaged.")
      }
      if (begins && !hasSlice) entries++
      hasSlice = true
    }
    if (!hasSlice) throw malformed("A frame of the video is empty.")
  }
}

type CheckFrame = (frame: Uint8Array, isFirst: boolean) => void

/** Reads the samples from one to before another, and checks all of them. */
const checkRange = <E>(
  source: Source<E>,
  { offsets, sizes }: VideoTrack["samples"],
  [from, to]: readonly [from: number, to: number],
  checkOne: CheckFrame
): Effect.Effect<void, E | PackagingError> => {
  const lengths = sizes.subarray(from, to)
  return Stream.runDrain(
    SegmentStream.make(source, () => ({
      plan: ReadPlan.make({ offsets: Float64Array.from(offsets.subarray(from, to)), lengths, firsts: undefined }),
      head: new Uint8Array(),
      write: (first, end, { bytesOf, startOf }) => {
        for (let frame = first; frame < end; frame++) {
          const start = startOf(frame)
          checkOne(bytesOf(frame).subarray(start, start + (lengths[frame] ?? 0)), frame === 0)
        }
        return new Uint8Array()
      }
    }))
  )
}

/** Reads a segment and checks all its frames. */
const checkAll = <E>(
  source: Source<E>,
  { firsts, track }: PlannedTrack<VideoTrack>,
  segment: number,
  checkOne: CheckFrame
): Effect.Effect<void, E | PackagingError> =>
  checkRange(source, track.samples, [firsts[segment] ?? 0, firsts[segment + 1] ?? 0], checkOne)

/** Checks a segment of H.264. */
export const check = <E>(source: Source<E>, planned: PlannedTrack<PlayableVideo>, segment: number) =>
  checkAll(source, planned, segment, (frame, isFirst) => checkFrame(frame, isFirst, planned.track.codec))

/** Checks a segment of H.265. */
export const checkHevc = <E>(source: Source<E>, planned: PlannedTrack<HevcTrack>, segment: number) =>
  checkAll(source, planned, segment, makeHevcCheck(planned.track.codec))

/** Frames of audio that are checked at the beginning and at the end: about as many as a segment has. */
const audioFrames = 200

/** Checks the first and the last frames of AAC. */
export const checkAudio = <E>(source: Source<E>, track: AudioTrack): Effect.Effect<void, E | PackagingError> => {
  const { count } = track.samples
  const end = Math.min(count, audioFrames)
  const ranges = [[0, end] as const, [Math.max(end, count - audioFrames), count] as const]
  return Effect.forEach(
    ranges.filter(([first, last]) => first < last),
    (range) => checkRange(source, track.samples, range, (frame) => RawDataBlock.check(frame, track.codec)),
    { discard: true }
  )
}

/** Bytes of a frame in which its first slice mostly begins, and frames that are read at once. */
const headBytes = 4096
const concurrency = 8

/** Whether the first slice of a frame of H.265 is one at which a decoder may begin; undefined if it begins behind these bytes. */
const isEntry = (bytes: Uint8Array, lengthBytes: number): boolean | undefined => {
  for (let at = 0; at + lengthBytes + HevcUnits.headerBytes <= bytes.length;) {
    let length = 0
    for (let index = 0; index < lengthBytes; index++) length = length * 256 + (bytes[at + index] ?? 0)
    const unit = bytes.subarray(at + lengthBytes)
    const type = HevcUnits.typeOf(unit)
    if (type <= HevcUnits.types.lastSlice && HevcUnits.layerOf(unit) === 0) return HevcUnits.isEntry(type)
    at += lengthBytes + length
  }
  return undefined
}

/** Checks that each segment of H.265 begins with a frame that needs no other. Reads the beginning of these frames alone. */
export const checkEntries = <E>(
  source: Source<E>,
  { firsts, track }: PlannedTrack<HevcTrack>
): Effect.Effect<void, E | PackagingError> => {
  const { offsets, sizes } = track.samples
  const checkOne = (sample: number, length: number): Effect.Effect<void, E | PackagingError> =>
    Effect.flatMap(source.readRange({ offset: offsets[sample] ?? 0, length }), (bytes) => {
      const found = isEntry(bytes, track.codec.lengthBytes)
      const size = sizes[sample] ?? 0
      if (found === undefined && length < size) return checkOne(sample, size)
      return found === true ? Effect.void : Effect.fail(needsOthers())
    })
  return Effect.forEach(
    firsts.subarray(0, firsts.length - 1),
    (sample) => checkOne(sample, Math.min(headBytes, sizes[sample] ?? 0)),
    { concurrency, discard: true }
  )
}
