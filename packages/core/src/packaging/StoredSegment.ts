/**
 * Makes MPEG-TS of segments that are stored as fragmented MP4, each with one track (ISO/IEC 23000-19). HLS has video and audio together in a
 * segment, and DASH each alone: what is stored for DASH is enough for both.
 *
 * A segment is made from its own bytes and the initialization segments alone. Therefore its continuity counters begin at 0, and it is padded
 * so that they continue in the next one (`TransportStream.MakeOptions`).
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { concat } from "../storage/ByteChunks.ts"
import { attempt } from "./internal/Attempt.ts"
import * as Silence from "./internal/aac/Silence.ts"
import * as Times from "./internal/presentation/Times.ts"
import * as FragmentedMp4 from "./FragmentedMp4.ts"
import * as JoinedSource from "./JoinedSource.ts"
import type { PackagedFile } from "./PackagedFile.ts"
import { malformed, type PackagingError } from "./PackagingError.ts"
import { type PlannedTrack, shownAt } from "./SegmentPlan.ts"
import type { Source } from "./Source.ts"
import type { AudioTrack, SoundTrack, VideoTrack } from "./SourceIndex.ts"
import * as SourceReader from "./SourceReader.ts"
import * as TransportStream from "./TransportStream.ts"

type Track = VideoTrack | SoundTrack

/** One track of a segment. */
export interface StoredTrack<E> {
  /** Its initialization segment. */
  readonly init: SourceReader.Initialization
  /** Undefined if the track has no samples in the segment. */
  readonly segment: Source<E> | undefined
}

/** The audio of a segment in an uploaded file, for video that is stored without any. */
export interface PackagedAudio<E> {
  /** Its samples of this segment alone. */
  readonly planned: PlannedTrack<AudioTrack>
  /** The file. */
  readonly source: Source<E>
}

/** What a segment of HLS consists of. */
export interface StoredTracks<E> {
  readonly video: StoredTrack<E> | undefined
  readonly audio: StoredTrack<E> | PackagedAudio<E> | undefined
  /** Seconds by which the times in all segments are later than they are in packaged presentations, the same for the whole presentation. */
  readonly delay: number
  /** The number of the segment in the presentation. */
  readonly sequence: number
}

/** A segment of MPEG-TS, and what it is made from. */
export interface StoredSegment<E> extends Pick<PackagedFile, "size"> {
  /** Seconds of the presentation at which its track begins and ends: that of the video, or of audio alone. */
  readonly start: number
  readonly end: number
  /** Seconds of the presentation at which its audio begins; undefined if it has none beside the video. */
  readonly audioStart: number | undefined
  /** The names of its codecs (RFC 6381). */
  readonly codecs: ReadonlyArray<string>
  /** Returns the bytes. */
  readonly cut: (options?: FragmentedMp4.ReadOptions) => Stream.Stream<Uint8Array, E | PackagingError>
}

/** Ticks between the first and the last sample of a segment: audio may go on for hours after the end of the video. */
const longest = 12 * 3600 * 90_000

const nothing: Source<never> = JoinedSource.ofBytes(new Uint8Array())

/** Reads the only track of an initialization segment, with the samples of a segment: their offsets are those in the segment. */
const readTrack = Effect.fnUntraced(function* <E>({ init, segment }: StoredTrack<E>) {
  const { ac3, audio, others, video } = yield* SourceReader.readSegment(init, segment)
  const [track, ...rest]: ReadonlyArray<Track> = [...video, ...audio, ...ac3]
  if (track === undefined || rest.length > 0 || others.length > 0) {
    return yield* malformed("A stored segment has another number of tracks than one.")
  }
  const { samples } = track
  if (samples.delays.some((delay) => delay < 0)) return yield* malformed("A frame is shown before it is decoded.")
  return track
})

const isAac = (track: Track): track is AudioTrack => track.codec._tag === "Aac"

const isVideo = (track: Track): track is VideoTrack => "width" in track

const plan = <A extends Track>(track: A): PlannedTrack<A> => ({
  track,
  firsts: Uint32Array.of(0, track.samples.count),
  lead: 0
})

const planAudio = Effect.fnUntraced(function* <E>(audio: StoredTrack<E> | PackagedAudio<E>) {
  if ("planned" in audio) return audio.planned
  const track = yield* readTrack(audio)
  return isVideo(track) ? yield* malformed("A stored track is no audio.") : plan(track)
})

/** Makes the offsets those in a source that begins with so many other bytes. They belong to this segment alone. */
const moveBehind = ({ track: { samples } }: PlannedTrack<SoundTrack>, bytes: number): void => {
  const { offsets } = samples
  for (let index = 0; index < offsets.length; index++) offsets[index] = (offsets[index] ?? 0) + bytes
}

/**
 * Makes frames that are decoded earlier than MPEG-TS permits (`TransportStream.maxLead`) be decoded then, one right after another. They are
 * shown when they were. The first frames of a video with few frames each second are so early, unless the presentation has a `delay` for it.
 * Throws if one would be shown before it is decoded.
 */
const decodeLater = ({ pause, samples, start, timeScale }: VideoTrack, delay: number): void => {
  const { count, delays, times } = samples
  const earliest = Math.ceil((-TransportStream.maxLead - delay) * timeScale) + start - pause
  for (let index = 0; index < count; index++) {
    const later = earliest + index - (times[index] ?? 0)
    if (later <= 0) return
    const left = (delays[index] ?? 0) - later
    if (left < 0) throw malformed("A frame is decoded too long before the presentation.")
    times[index] = earliest + index
    delays[index] = left
  }
}

/** Returns when a track begins and ends, in seconds of the presentation. */
const spanOf = ({ pause, samples: { end, times }, start, timeScale }: Track): readonly [number, number] => {
  // The edit list of an initialization segment hides what the first frame is delayed by, so that decoding begins before the presentation.
  const at = (ticks: number): number => (ticks + pause) / timeScale
  return [at(times[0] ?? end) - start / timeScale, at(end) - start / timeScale]
}

/** Returns for how long the first sample of a track is decoded before the presentation begins, in seconds: the `delay` of its tracks. */
export const delayOf = (init: SourceReader.Initialization): Effect.Effect<number, PackagingError> =>
  Effect.map(readTrack({ init, segment: undefined }), ({ start, timeScale }) => start / timeScale)

/** Plans a segment of MPEG-TS. Fails with a `PackagingError` if what is stored is no such segment. */
export const make = Effect.fnUntraced(function* <E>({
  audio,
  delay,
  sequence,
  video
}: StoredTracks<E>): Effect.fn.Return<StoredSegment<E>, E | PackagingError> {
  const picture = video === undefined ? undefined : yield* readTrack(video)
  const sound = audio === undefined ? undefined : yield* planAudio(audio)
  if (picture !== undefined && !isVideo(picture)) return yield* malformed("A stored track is no video.")
  const leading = picture ?? sound?.track
  if (leading === undefined) return yield* malformed("A stored segment has no track.")
  const [start, end] = spanOf(leading)
  if (picture !== undefined) yield* attempt(() => decodeLater(picture, delay))
  if (sound !== undefined) moveBehind(sound, video?.segment?.size ?? 0)
  const transport = yield* TransportStream.make(1, picture === undefined ? null : plan(picture), sound ?? null, {
    isAligned: true,
    longest,
    shift: Math.round(delay * 90_000)
  })
  const heard = audio !== undefined && "planned" in audio ? audio.source : audio?.segment
  const source = JoinedSource.join<E>([video?.segment ?? nothing, heard ?? nothing])
  const hasBoth = picture !== undefined && sound !== undefined && (sound.firsts[1] ?? 0) > 0
  return {
    size: transport.sizes[0] ?? 0,
    start,
    end,
    audioStart: hasBoth ? spanOf(sound.track)[0] : undefined,
    codecs: [picture, sound?.track].flatMap((track) => (track === undefined ? [] : [track.codec.name])),
    cut: (options) =>
      Stream.unwrap(
        Effect.map(source.open ?? Effect.succeed(source), (opened) =>
          TransportStream.segment(opened, transport, 0, { ...options, sequence })
        )
      )
  }
})

/** Returns when the first sample of a stored track is shown, in seconds of the presentation. */
export const beginOf = <E>(track: StoredTrack<E>): Effect.Effect<number, E | PackagingError> =>
  Effect.map(readTrack(track), (read) => Math.min(...read.samples.times.map((_, index) => shownAt(read, index))))

/** A segment of fragmented MP4 with the times of HLS, and its initialization segment. */
export interface StoredFragment<E> {
  readonly init: Uint8Array
  /** Channels of audio. */
  readonly channels: number
  readonly segment: Pick<StoredSegment<E>, "cut" | "size">
}

/** Plans a segment of audio as fragmented MP4 with the times of the segments of MPEG-TS. Fails if what is stored is no audio. */
export const toFragment = Effect.fnUntraced(function* <E>(
  stored: StoredTrack<E>,
  { delay, sequence }: Pick<StoredTracks<E>, "delay" | "sequence">
): Effect.fn.Return<StoredFragment<E>, E | PackagingError> {
  const found = yield* readTrack(stored)
  if (isVideo(found)) return yield* malformed("A stored track is no audio.")
  const track = yield* attempt(() => Times.shift(found, delay))
  const planned = plan(track)
  return {
    init: FragmentedMp4.initialization(track),
    channels: track.channels,
    segment: {
      size: yield* attempt(() => FragmentedMp4.sizeOf(planned, 0)),
      cut: (options) => FragmentedMp4.segment(stored.segment ?? nothing, planned, 0, { ...options, sequence })
    }
  }
})

/** Returns the end of stored audio, which silence may continue; undefined for another codec than AAC. */
export const endOfAudio = <E>(stored: StoredTrack<E>): Effect.Effect<AudioTrack | undefined, E | PackagingError> =>
  Effect.map(readTrack(stored), (track) => (isAac(track) ? Silence.after(track) : undefined))

/** A segment of silence as fragmented MP4. */
export interface SilentSegment {
  readonly bytes: Uint8Array
  /** Seconds. */
  readonly duration: number
  /** The end of the audio with this segment. */
  readonly end: AudioTrack
}

/** Frames of silence in a segment: a minute of 48 kHz. A segment of video whose frames are hours apart has no more than that. */
const maxSilence = 2813

/**
 * Makes a segment that continues audio until a time, in seconds of the presentation; undefined if no frame ends before it. The first
 * frame of a longer time than a minute lasts until the last minute of it.
 */
export const silence = Effect.fnUntraced(function* (end: AudioTrack, until: number, sequence: number) {
  const missing = Silence.framesUntil(end, until)
  if (missing === 0) return undefined
  const frames = Math.min(missing, maxSilence)
  const track = yield* attempt(() => Silence.append(Silence.after(end, missing - frames), frames, 0))
  // The first frame lasts until the others, so that the segment begins where the audio ends.
  track.samples.times[0] = end.samples.end
  const source = Silence.source(track.codec, Silence.bytesOf(track, frames))
  const chunks = yield* Stream.runCollect(FragmentedMp4.segment(source, plan(track), 0, { sequence }))
  const duration = Silence.endOf(track) - Silence.endOf(end)
  return { bytes: concat(chunks), duration, end: Silence.after(track) } satisfies SilentSegment
})
