/**
 * Makes a variant of H.265 of a content, whose segments are cut from its own bytes, beside video that was encoded from it.
 */
import * as Effect from "effect/Effect"
import * as Bitrates from "../transcoding/Bitrates.ts"
import * as HevcFiles from "../transcoding/hevc/HevcFiles.ts"
import type { HevcRendition, VideoRange } from "../transcoding/Presentation.ts"
import * as FragmentedMp4 from "./FragmentedMp4.ts"
import * as HevcPlaylists from "./HevcPlaylists.ts"
import { attempt } from "./internal/Attempt.ts"
import * as FrameCheck from "./internal/presentation/FrameCheck.ts"
import * as Manifest from "./internal/presentation/Manifest.ts"
import * as MeasuredTrack from "./internal/presentation/MeasuredTrack.ts"
import * as MediaPlaylist from "./internal/presentation/MediaPlaylist.ts"
import * as PlayableHevc from "./internal/presentation/PlayableHevc.ts"
import * as Times from "./internal/presentation/Times.ts"
import { isPackagingError, malformed, type PackagingError, unsupported } from "./PackagingError.ts"
import * as SegmentIndex from "./SegmentIndex.ts"
import * as SegmentPlan from "./SegmentPlan.ts"
import type * as SharedTracks from "./SharedTracks.ts"
import type { Source } from "./Source.ts"
import * as SourceReader from "./SourceReader.ts"
import * as StoredSegment from "./StoredSegment.ts"

/** The times of the encoded video, in seconds. */
export interface EncodedTimes {
  /** As in `StoredSegment.StoredTracks`. */
  readonly delay: number
  /** When its first frame is shown in the presentation. FFmpeg moves the beginning of a file to 0. */
  readonly begin: number
  /** How long it lasts. */
  readonly duration: number
}

export interface HevcVariant {
  /** Without audio. */
  readonly rendition: HevcRendition
  /** The media playlist of HLS. */
  readonly playlist: string
  /** Returns the adaptation set that joins a manifest of DASH as its set `id`. */
  readonly adaptationSet: (id: number) => string
  /** The bytes of the index (`SegmentIndex`). */
  readonly index: ReadonlyArray<Uint8Array>
}

/** Seconds by which the video may last longer or shorter than it does in its encoded form, where frames were dropped. */
const maxDifference = 0.25

const ranges = new Map<number, VideoRange>([
  [16, "PQ"],
  [18, "HLG"]
])

const rangeOf = (color: Uint8Array | null): VideoRange =>
  (color === null ? undefined : ranges.get(PlayableHevc.colorsOf(color).transfer)) ?? "SDR"

/** Returns the times of the best size of a shared presentation. `first` is its first segment of video. */
export const timesOf = Effect.fnUntraced(function* <E>(
  { delay, tracks: [init] }: SharedTracks.SharedTracks,
  manifest: string,
  first: Source<E>
) {
  const best = HevcPlaylists.findRepresentation(manifest, 0)
  if (init === undefined || best === undefined) return yield* malformed("The presentation has no video.")
  const begin = yield* StoredSegment.beginOf({ init, segment: first })
  const times: EncodedTimes = { delay, begin, duration: best.durations.reduce((sum, seconds) => sum + seconds, 0) }
  return times
})

const isCandidateTrack = Symbol("The tracks can be packaged.")

/** Whether a content has H.265 that may be packaged. Reads the description of its tracks alone. */
export const isCandidate = <E>(source: Source<E>): Effect.Effect<boolean, E> =>
  SourceReader.read(source, (described) =>
    Effect.andThen(
      attempt(() => PlayableHevc.choose(described)),
      Effect.fail(isCandidateTrack)
    )
  ).pipe(
    Effect.as(false),
    Effect.catch((error: E | PackagingError | typeof isCandidateTrack) =>
      error === isCandidateTrack
        ? Effect.succeed(true)
        : isPackagingError(error)
          ? Effect.succeed(false)
          : Effect.fail(error as E)
    )
  )

/**
 * Makes the variant. Fails with a `PackagingError` if the content is no MP4 or QuickTime file with one track of H.265, if its segments
 * would not begin with frames that need no others, or would have other times than the encoded video.
 */
export const make = Effect.fnUntraced(function* <E>(source: Source<E>, encoded: EncodedTimes, isComposite: boolean) {
  const index = yield* SourceReader.read(source, (described) => attempt(() => PlayableHevc.choose(described)))
  const chosen = yield* attempt(() => PlayableHevc.choose(index))
  const plan = yield* SegmentPlan.make(chosen, [])
  if (plan.video === null) return yield* unsupported("The file has no video.")
  const [begin = 0, end = 0] = [plan.starts[0], plan.starts.at(-1)]
  if (Math.abs(end - begin - encoded.duration) > maxDifference) {
    return yield* unsupported("The video lasts longer or shorter than its encoded form.")
  }
  const track = yield* attempt(() => Times.shift(chosen, encoded.delay, begin - encoded.begin))
  const planned = { ...plan.video, track }
  yield* FrameCheck.checkEntries(source, planned)
  yield* FrameCheck.checkHevc(source, planned, 0)
  if (plan.count > 1) yield* FrameCheck.checkHevc(source, planned, plan.count - 1)
  const { rates, times } = yield* MeasuredTrack.measure(planned)
  const durations = MeasuredTrack.differences(plan.starts)
  const { average, peak } = Bitrates.measure(
    durations.map((duration, segment) => ({ duration, bytes: FragmentedMp4.sizeOf(planned, segment) }))
  )
  const frameRate = MeasuredTrack.frameRateOf(track)
  const { codec, color, height, width } = track
  const result: HevcVariant = {
    rendition: {
      name: HevcFiles.name,
      width,
      height,
      frameRate,
      bitrate: average,
      peakBitrate: peak,
      codecs: [codec.name],
      range: rangeOf(color)
    },
    playlist: MediaPlaylist.renderFragments(durations, HevcFiles.name),
    adaptationSet: (id) => Manifest.renderHevc({ track, times, bandwidth: Math.max(peak, rates.peak) }, id, frameRate),
    index: yield* SegmentIndex.encode({
      plan: { ...plan, video: planned },
      transport: null,
      sourceBytes: source.size,
      silentBytes: 0,
      isComposite
    })
  }
  return result
})
