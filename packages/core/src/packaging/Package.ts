/**
 * Makes a presentation of a content without reading more than its index and two segments: the text of its playlist or manifest, and
 * the index from which `PackagedFile` cuts its segments.
 */
import * as Effect from "effect/Effect"
import * as Bitrates from "../transcoding/Bitrates.ts"
import type { Format, Presentation, Rendition } from "../transcoding/Presentation.ts"
import { attempt } from "./internal/Attempt.ts"
import * as FrameCheck from "./internal/presentation/FrameCheck.ts"
import * as Manifest from "./internal/presentation/Manifest.ts"
import * as MeasuredTrack from "./internal/presentation/MeasuredTrack.ts"
import * as MediaPlaylist from "./internal/presentation/MediaPlaylist.ts"
import * as PlayableTracks from "./internal/presentation/PlayableTracks.ts"
import * as SegmentIndex from "./SegmentIndex.ts"
import * as SegmentPlan from "./SegmentPlan.ts"
import type { Source } from "./Source.ts"
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

const toHls = Effect.fnUntraced(function* (plan: SegmentPlan.SegmentPlan, { audio, video }: Tracks) {
  const transport = yield* TransportStream.make(plan.count, plan.video, plan.audio[0] ?? null)
  const durations = MeasuredTrack.differences(plan.starts)
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

const toDash = Effect.fnUntraced(function* (plan: SegmentPlan.SegmentPlan, { video }: Tracks) {
  const measured = yield* Effect.forEach(
    [...(plan.video === null ? [] : [plan.video]), ...plan.audio],
    MeasuredTrack.measure
  )
  const duration = Math.max(...measured.map(({ end }) => end))
  const entry = Manifest.render({
    duration,
    longest: Math.max(...measured.map(({ longest }) => longest)),
    frameRate: video === null ? null : MeasuredTrack.frameRateOf(video),
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
        frameRate: MeasuredTrack.frameRateOf(video),
        ...rates
      }

/**
 * Makes a presentation. Fails with a `PackagingError` if the content is no MP4 or QuickTime file, if a transcoder would encode a track
 * of it or keep more than one of video and one of audio, or if its first or last frames cannot be played. `begin` runs when the tracks
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
  const [sound] = plan.audio
  if (sound !== undefined) yield* FrameCheck.checkAudio(source, sound)
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
