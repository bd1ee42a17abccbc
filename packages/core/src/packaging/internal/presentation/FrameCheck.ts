/**
 * Checks the frames of a segment of H.264: whether a player can begin with it.
 */
import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { malformed, type PackagingError, unsupported } from "../../PackagingError.ts"
import type { PlannedTrack } from "../../SegmentPlan.ts"
import type { Source } from "../../Source.ts"
import * as NalUnits from "../h264/NalUnits.ts"
import * as ReadPlan from "../ReadPlan.ts"
import * as SegmentStream from "../SegmentStream.ts"
import type { PlayableVideo } from "./PlayableTracks.ts"

/** Types of NAL units (ITU-T H.264, table 7-1). */
const firstSlice = 1
const keySlice = 5
const sequenceParameters = 7

const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

/** Checks a frame. The first one has to be a keyframe that needs no other. */
const checkFrame = (frame: Uint8Array, isFirst: boolean, { lengthBytes, ...codec }: PlayableVideo["codec"]): void => {
  let hasSlice = false
  for (const unit of NalUnits.unitsOf(frame, lengthBytes)) {
    const type = (unit[0] ?? 0) & 0x1f
    if (type === sequenceParameters && !codec.sequenceParameters.some((known) => isEqual(known, unit))) {
      throw unsupported("The video changes its parameters.")
    }
    if (type < firstSlice || type > keySlice || hasSlice) continue
    if (isFirst && type !== keySlice) throw unsupported("A segment begins with a frame that needs others.")
    hasSlice = true
  }
  if (!hasSlice) throw malformed("A frame of the video is empty.")
}

/** Reads a segment and checks all its frames. */
export const check = <E>(
  source: Source<E>,
  { firsts, track }: PlannedTrack<PlayableVideo>,
  segment: number
): Effect.Effect<void, E | PackagingError> => {
  const from = firsts[segment] ?? 0
  const to = firsts[segment + 1] ?? 0
  const { offsets, sizes } = track.samples
  const lengths = sizes.subarray(from, to)
  return Stream.runDrain(
    SegmentStream.make(source, () => ({
      plan: ReadPlan.make({ offsets: offsets.subarray(from, to), lengths, firsts: undefined }),
      head: new Uint8Array(),
      write: (first, end, { bytesOf, startOf }) => {
        for (let frame = first; frame < end; frame++) {
          const start = startOf(frame)
          const bytes = bytesOf(frame).subarray(start, start + (lengths[frame] ?? 0))
          checkFrame(bytes, frame === 0, track.codec)
        }
        return new Uint8Array()
      }
    }))
  )
}
