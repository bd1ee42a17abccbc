/**
 * The segments of a track as fragmented MP4: their times and bitrates.
 */
import * as Effect from "effect/Effect"
import * as Bitrates from "../../../transcoding/Bitrates.ts"
import * as FragmentedMp4 from "../../FragmentedMp4.ts"
import { unsupported } from "../../PackagingError.ts"
import type { PlannedTrack } from "../../SegmentPlan.ts"
import type { AudioTrack, VideoTrack } from "../../SourceIndex.ts"
import { attempt } from "../Attempt.ts"

/** Frames per second on average. */
export const frameRateOf = ({ samples: { count, end, times }, timeScale }: VideoTrack): number | null =>
  end > (times[0] ?? 0) ? (count * timeScale) / (end - (times[0] ?? 0)) : null

/** Returns how far each time is from the one before it. */
export const differences = (times: Float64Array): ReadonlyArray<number> =>
  Array.from(times.subarray(1), (time, index) => time - (times[index] ?? 0))

/** Measures a track, whose segments are files of their own. A track may end some segments before the others. */
export const measure = Effect.fnUntraced(function* (planned: PlannedTrack<VideoTrack | AudioTrack>) {
  const { bytes, times: all } = yield* FragmentedMp4.measure(planned)
  return yield* attempt(() => {
    const { track } = planned
    const count = bytes.findLastIndex((size) => size > 0) + 1
    const times = all.subarray(0, count + 1)
    const durations = differences(times).map((ticks) => ticks / track.timeScale)
    if (durations.some((seconds) => seconds <= 0)) throw unsupported("A track has gaps.")
    const rates = Bitrates.measure(durations.map((seconds, index) => ({ duration: seconds, bytes: bytes[index] ?? 0 })))
    const end = ((times[count] ?? 0) - track.start) / track.timeScale
    return { track, times, rates, end, longest: Math.max(...durations) }
  })
})
