/**
 * Makes a presentation of a content without reading more than its index and two segments: the text of its playlist or manifest, and
 * the index from which `PackagedFile` cuts its segments.
 */
import * as Effect from "effect/Effect"
import * as Bitrates from "../transcoding/Bitrates.ts"
import type { Format, Presentation, Rendition } from "../transcoding/Presentation.ts"
import * as FragmentedMp4 from "./FragmentedMp4.ts"
import { attempt } from "./internal/Attempt.ts"
import * as FrameCheck from "./internal/presentation/FrameCheck.ts"
import * as Manifest from "./internal/presentation/Manifest.ts"
import * as MediaPlaylist from "./internal/presentation/MediaPlaylist.ts"
import * as PlayableTracks from "./internal/presentation/PlayableTracks.ts"
import { unsupported } from "./PackagingError.ts"
import * as SegmentIndex from "./SegmentIndex.ts"
import * as SegmentPlan from "./SegmentPlan.ts"
import type { Source } from "./Source.ts"
import type { AudioTrack, VideoTrack } from "./SourceIndex.ts"
import * as SourceReader from "./SourceReader.ts"
import * as TransportStream from "./TransportStream.ts"

export interface Package {
  readonly presentation: Presentation
  /** The playlist or manifest. */
  readonly entry: string
  /** The playlist of the keyframes; null for DASH, and for audio alone. */
  readonly keyframes: string | null
  /** The bytes of the index (`SegmentIndex`). */
  readonly index: ReadonlyArray<Uint8Array>
}

/** What a format adds to the tracks. */
interface Output {
  readonly entry: string
  readonly keyframes: string | null
  readonly transport: TransportStream.TransportStream | null
  /** Seconds. */
  readonly duration: number
  readonly rates: Pick<Rendition, "bitrate" | "codecs" | "peakBitrate">
}

type Tracks = PlayableTracks.PlayableTracks

/** Frames per second on average. */
const frameRateOf = ({ samples: { count, end, times }, timeScale }: VideoTrack): number | null =>
  end > (times[0] ?? 0) ? (count * timeScale) / (end - (times[0] ?? 0)) : null

const differences = (times: Float64Array): ReadonlyArray<number> =>
  Array.from(times.subarray(1), (time, index) => time - (times[index] ?? 0))

const toHls = Effect.fnUntraced(function* (plan: SegmentPlan.SegmentPlan, { audio, video }: Tracks) {
  const transport = yield* TransportStream.make(plan.count, plan.video, plan.audio[0] ?? null)
  const durations = differences(plan.starts)
  const { average, duration, peak } = Bitrates.measure(
    durations.map((seconds, index) => ({ duration: seconds, bytes: transport.sizes[index] ?? 0 }))
  )
  const codecs = [video, audio].flatMap((track) => (track === null ? [] : [track.codec.name]))
  return {
    entry: MediaPlaylist.render(durations),
    keyframes: video === null ? null : MediaPlaylist.renderKeyframes(durations, transport.keyframes),
    transport,
    duration,
    rates: { bitrate: average, peakBitrate: peak, codecs }
  } satisfies Output
})

/** Measures a track, whose segments are files of their own. A track may end some segments before the others. */
const measureTrack = Effect.fnUntraced(function* (planned: SegmentPlan.PlannedTrack<VideoTrack | AudioTrack>) {
  const bytes = yield* FragmentedMp4.sampleBytes(planned)
  return yield* attempt(() => {
    const { track } = planned
    const all = FragmentedMp4.timesOf(planned)
    const count = bytes.findLastIndex((size) => size > 0) + 1
    const times = all.subarray(0, count + 1)
    const durations = differences(times).map((ticks) => ticks / track.timeScale)
    if (durations.some((seconds) => seconds <= 0)) throw unsupported("A track has gaps.")
    const rates = Bitrates.measure(durations.map((seconds, index) => ({ duration: seconds, bytes: bytes[index] ?? 0 })))
    const end = ((times[count] ?? 0) - track.start) / track.timeScale
    return { track, times, rates, end, longest: Math.max(...durations) }
  })
})

const toDash = Effect.fnUntraced(function* (plan: SegmentPlan.SegmentPlan, { video }: Tracks) {
  const measured = yield* Effect.forEach([...(plan.video === null ? [] : [plan.video]), ...plan.audio], measureTrack)
  const duration = Math.max(...measured.map(({ end }) => end))
  const entry = Manifest.render({
    duration,
    longest: Math.max(...measured.map(({ longest }) => longest)),
    frameRate: video === null ? null : frameRateOf(video),
    tracks: measured.map(({ rates, times, track }) => ({ track, times, bandwidth: rates.peak }))
  })
  const bitrate = measured.reduce((sum, { rates }) => sum + rates.average, 0)
  return { entry, keyframes: null, transport: null, duration, rates: { bitrate } } satisfies Output
})

const toRendition = ({ video }: Tracks, rates: Output["rates"]): Rendition =>
  video === null
    ? { name: "audio", width: null, height: null, frameRate: null, ...rates }
    : {
        name: `${Math.min(video.width, video.height)}p`,
        width: video.width,
        height: video.height,
        frameRate: frameRateOf(video),
        ...rates
      }

/**
 * Makes a presentation. Fails with a `PackagingError` if the content is no MP4 or QuickTime file, if a transcoder would encode a track
 * of it or keep more than one of video and one of audio, or if its first or last segment cannot be played. `begin` runs when the tracks
 * can be packaged, before their samples are read, which takes most of the time; its failure ends the packaging.
 */
export const make = Effect.fnUntraced(function* <E, E2 = never>(
  source: Source<E>,
  format: Format,
  isComposite: boolean,
  begin: Effect.Effect<void, E2> = Effect.void
) {
  const index = yield* SourceReader.read(source, (described) =>
    Effect.andThen(
      attempt(() => PlayableTracks.choose(described)),
      begin
    )
  )
  const tracks = yield* attempt(() => PlayableTracks.choose(index))
  const { audio, video } = tracks
  const plan = yield* SegmentPlan.make(video, audio === null ? [] : [audio])
  if (video !== null && plan.video !== null) {
    const planned = { ...plan.video, track: video }
    yield* FrameCheck.check(source, planned, 0)
    if (plan.count > 1) yield* FrameCheck.check(source, planned, plan.count - 1)
  }
  const { duration, entry, keyframes, rates, transport } = yield* format === "hls"
    ? toHls(plan, tracks)
    : toDash(plan, tracks)
  const result: Package = {
    presentation: {
      format,
      duration,
      hasVideo: video !== null,
      hasAudio: audio !== null,
      isCopy: true,
      isPackaged: true,
      renditions: [toRendition(tracks, rates)]
    },
    entry,
    keyframes,
    index: yield* SegmentIndex.encode({ plan, transport, sourceBytes: source.size, isComposite })
  }
  return result
})
