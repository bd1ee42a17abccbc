/**
 * Makes a presentation of a content without reading more than its index and two segments: the texts of its playlists and its manifest, and
 * the index from which `PackagedFile` cuts its segments.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Bitrates from "../transcoding/Bitrates.ts"
import type { Format, Presentation, Rendition } from "../transcoding/Presentation.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import { attempt } from "./internal/Attempt.ts"
import * as FrameCheck from "./internal/presentation/FrameCheck.ts"
import * as Manifest from "./internal/presentation/Manifest.ts"
import * as MeasuredTrack from "./internal/presentation/MeasuredTrack.ts"
import * as MediaPlaylist from "./internal/presentation/MediaPlaylist.ts"
import * as PlayableTracks from "./internal/presentation/PlayableTracks.ts"
import * as SampleTable from "./internal/mp4/SampleTable.ts"
import type { PackagingError } from "./PackagingError.ts"
import * as SegmentIndex from "./SegmentIndex.ts"
import * as SegmentPlan from "./SegmentPlan.ts"
import * as Silence from "./internal/aac/Silence.ts"
import type { Source } from "./Source.ts"
import type { AudioTrack } from "./SourceIndex.ts"
import * as SourceReader from "./SourceReader.ts"
import * as TransportStream from "./TransportStream.ts"

export interface Package {
  readonly presentation: Presentation
  /** The playlists and the manifest, by their names. */
  readonly playlists: ReadonlyMap<string, string>
  /** The bytes of the index (`SegmentIndex`). */
  readonly index: ReadonlyArray<Uint8Array>
}

/** What a format adds to the tracks. */
interface Output {
  readonly playlists: ReadonlyArray<readonly [name: string, text: string]>
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
    playlists: [
      [StreamFiles.entry("hls"), MediaPlaylist.render(durations)],
      ...(video === null
        ? []
        : [[StreamFiles.keyframes, MediaPlaylist.renderKeyframes(durations, transport.keyframes)] as const])
    ],
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
  const playlists = [[StreamFiles.entry("dash"), entry] as const]
  return { playlists, transport: null, duration, rates: { bitrate } } satisfies Output
})

/**
 * Makes what the formats add: what the requested one does, and what the other one does if it can present the tracks. The facts of the
 * presentation are those of HLS, whose playlists state them.
 */
const toOutputs = Effect.fnUntraced(function* (plan: SegmentPlan.SegmentPlan, tracks: Tracks, format: Format) {
  const make: { readonly [each in Format]: Effect.Effect<Output, PackagingError> } = {
    hls: toHls(plan, tracks),
    dash: toDash(plan, tracks)
  }
  const required = yield* make[format]
  const further = yield* Effect.option(make[format === "hls" ? "dash" : "hls"])
  const outputs = [required, ...Option.toArray(further)]
  return { outputs, leading: outputs.find(({ transport }) => transport !== null) ?? required }
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

/** Seconds for which audio may end before the video: less than a segment, for which players do not wait. */
const longestPause = 1

/** Audio as it is packaged, and the bytes of the silence with which it ends. */
interface Continued {
  readonly audio: AudioTrack | null
  readonly silentBytes: number
}

/** Returns audio that lasts as long as the video. */
const continueAudio = ({ audio, video }: Tracks, fileBytes: number): Continued => {
  if (video === null || audio === null) return { audio, silentBytes: 0 }
  const end = Silence.endOf(video)
  if (end - Silence.endOf(audio) <= longestPause) return { audio, silentBytes: 0 }
  const frames = Silence.framesUntil(audio, end)
  SampleTable.checkCount(video.samples.count + audio.samples.count + frames)
  return { audio: Silence.append(audio, frames, fileBytes), silentBytes: Silence.bytesOf(audio, frames) }
}

/**
 * Makes a presentation of a format, which is a shared one if the tracks can be presented in both. Fails with a `PackagingError` if the
 * content is no MP4 or QuickTime file, if a transcoder would encode a track of it or keep more than one of video and one of audio, or if its
 * first or last frames cannot be played. `begin` runs when the tracks can be packaged, before their samples are read, which takes most of
 * the time; its failure ends the packaging.
 */
export const make = Effect.fnUntraced(function* <E, E2 = never>(
  file: Source<E>,
  format: Format,
  isComposite: boolean,
  begin: Effect.Effect<void, E2> = Effect.void
) {
  const index = yield* SourceReader.read(file, (described) =>
    Effect.andThen(
      attempt(() => PlayableTracks.choose(described)),
      begin
    )
  )
  const tracks = yield* attempt(() => PlayableTracks.choose(index))
  const { video } = tracks
  const { audio, silentBytes } = yield* attempt(() => continueAudio(tracks, file.size))
  const source = audio === null ? file : Silence.behind(file, audio.codec, silentBytes)
  const plan = yield* SegmentPlan.make(video, audio === null ? [] : [audio])
  if (video !== null && plan.video !== null) {
    const planned = { ...plan.video, track: video }
    yield* FrameCheck.check(source, planned, 0)
    if (plan.count > 1) yield* FrameCheck.check(source, planned, plan.count - 1)
  }
  if (tracks.audio !== null) yield* FrameCheck.checkAudio(file, tracks.audio)
  const { leading, outputs } = yield* toOutputs(plan, tracks, format)
  const { duration, rates, transport } = leading
  const result: Package = {
    presentation: {
      format,
      duration,
      hasVideo: video !== null,
      hasAudio: audio !== null,
      isCopy: true,
      isPackaged: true,
      ...(outputs.length > 1 ? { isShared: true } : undefined),
      renditions: [toRendition(tracks, rates)]
    },
    playlists: new Map(outputs.flatMap(({ playlists }) => playlists)),
    index: yield* SegmentIndex.encode({ plan, transport, sourceBytes: file.size, silentBytes, isComposite })
  }
  return result
})
