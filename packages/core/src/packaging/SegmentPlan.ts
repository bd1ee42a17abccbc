/**
 * Decides where the segments of a video begin: at the first keyframe at or after each of the times of `targetStart`. Keyframes that
 * later frames precede in time (open GOP) begin no segment, since a player cannot begin with them.
 */
import * as Effect from "effect/Effect"
import { attempt } from "./internal/Attempt.ts"
import { limitExceeded, type PackagingError, unsupported } from "./PackagingError.ts"
import type { Samples } from "./Samples.ts"
import type { AudioTrack, SoundTrack, VideoTrack } from "./SourceIndex.ts"

/** Seconds of a segment, if the keyframes allow it. */
const targetDuration = 4

/** Seconds at which the segments after the first one begin. Over a slow line, a player has the first frame as soon as one is loaded. */
const shortStarts = [1, 2]

/** Returns when a segment should begin, in seconds from the beginning: at 0, 1, 2, 4, 8, 12 and so on. */
const targetStart = (segment: number): number =>
  segment === 0 ? 0 : (shortStarts[segment - 1] ?? (segment - shortStarts.length) * targetDuration)

/** Seconds. A segment begins at a keyframe, so that it is as long as the keyframe interval. */
export const longestSegment = 20

/** Eight hours have 7200, if their keyframes are not too far apart. */
const maxSegments = 50_000

/** Seconds. Times of players and of 90 kHz are exact in a double up to there. */
const longestPresentation = maxSegments * longestSegment

/** Twenty seconds of 240 frames per second have 4800. */
const maxSegmentSamples = 20_000

/** Seconds of audio before the beginning that encoders need, which players skip. What begins earlier is a part that was cut off. */
const maxPriming = 0.12

/** Seconds at the end that an edit list may hide: the padding of an encoder, and what was rounded. */
const maxHidden = 0.15

/** A track, and which of its samples are in which segment. */
export interface PlannedTrack<A extends VideoTrack | SoundTrack> {
  readonly track: A
  /** The first sample of each segment, and at last the count of samples. */
  readonly firsts: Uint32Array
  /**
   * Ticks, at most 0: what is added to the times of decoding, so that no sample is shown before it is decoded. Some files state
   * negative delays instead.
   */
  readonly lead: number
}

export interface SegmentPlan {
  readonly count: number
  /** Seconds: when each segment begins, and at last when the presentation ends. */
  readonly starts: Float64Array
  /** Null for audio alone. */
  readonly video: PlannedTrack<VideoTrack> | null
  readonly audio: ReadonlyArray<PlannedTrack<AudioTrack>>
}

type Track = VideoTrack | SoundTrack

/** Returns when a sample is shown, in seconds from the beginning. */
export const shownAt = ({ pause, samples, start, timeScale }: Track, index: number): number =>
  ((samples.times[index] ?? 0) + (samples.delays[index] ?? 0) - start + pause) / timeScale

/** Returns how long a sample lasts, in ticks. */
export const durationOf = ({ samples: { count, end, times } }: Track, index: number): number =>
  (index + 1 < count ? (times[index + 1] ?? 0) : end) - (times[index] ?? 0)

/**
 * The loops below read each sample of a file: they take arrays into variables, compare ticks, and call no function. They take samples
 * where they run for video and audio: the engine compiles a loop again for objects of another shape, such as another kind of track.
 */
const leadOf = ({ count, delays, isPlain }: Samples): number => {
  if (isPlain) return 0
  let lead = 0
  for (let index = 0; index < count; index++) {
    const delay = delays[index] ?? 0
    if (delay < lead) lead = delay
  }
  return lead
}

/** Returns when the first sample begins and the last one ends to be shown, in ticks. Throws if a copy of the samples cannot be timed. */
const shownBetween = ({
  count,
  delays,
  end,
  isPlain,
  sizes,
  times
}: Samples): readonly [first: number, last: number] => {
  if (count === 0) throw unsupported("A track is empty.")
  if (sizes.includes(0)) throw unsupported("A sample is empty.")
  if (isPlain) return [times[0] ?? 0, end]
  let first = Infinity
  let last = -Infinity
  let time = times[0] ?? 0
  for (let index = 0; index < count; index++) {
    const next = index + 1 < count ? (times[index + 1] ?? 0) : end
    if (next <= time && index + 1 < count) throw unsupported("Two samples have one time.")
    const delay = delays[index] ?? 0
    if (time + delay < first) first = time + delay
    if (next + delay > last) last = next + delay
    time = next
  }
  return [first, last]
}

/**
 * Returns when a track begins and ends to show something, in seconds. Throws if a copy of it would play what the file hides, or cannot
 * be timed.
 */
const spanOf = (track: Track, minStart: number): readonly [begin: number, end: number] => {
  const { pause, samples, shown, start, timeScale } = track
  const [first, last] = shownBetween(samples)
  const [begin, end] = [first, last].map((ticks) => (ticks - start + pause) / timeScale) as [number, number]
  if (shown !== null && (samples.end - start) / timeScale - shown > maxHidden) {
    throw unsupported("The end of a track is cut off by an edit list.")
  }
  if (begin < minStart) throw unsupported("The beginning of a track is cut off by an edit list.")
  if (end > longestPresentation) throw limitExceeded("The file is too long.")
  return [begin, end]
}

const keyframesOf = (syncs: Uint8Array): ReadonlyArray<number> => {
  const keyframes: Array<number> = []
  for (let index = syncs.indexOf(1); index >= 0; index = syncs.indexOf(1, index + 1)) keyframes.push(index)
  return keyframes
}

/** Returns the samples with which a player can begin: keyframes that separate the earlier from the later ones, in both orders. */
const entryPoints = ({ samples: { count, delays, isPlain, syncs, times } }: Track): ReadonlyArray<number> => {
  if (isPlain) return keyframesOf(syncs)
  const isFree = new Uint8Array(count)
  let earliest = Infinity
  for (let index = count - 1; index >= 0; index--) {
    const at = (times[index] ?? 0) + (delays[index] ?? 0)
    if (at >= earliest) continue
    earliest = at
    isFree[index] = syncs[index] ?? 0
  }
  const points: Array<number> = []
  let latest = -Infinity
  for (let index = 0; index < count; index++) {
    const at = (times[index] ?? 0) + (delays[index] ?? 0)
    if (at <= latest) continue
    latest = at
    if (isFree[index] === 1) points.push(index)
  }
  return points
}

/** Returns the first samples of the segments of the track that decides, and the count of samples. */
const cut = (track: Track): Uint32Array => {
  const points = entryPoints(track)
  if (points[0] !== 0) throw unsupported("The first frame of the video is no keyframe.")
  const firsts: Array<number> = [0]
  const begin = shownAt(track, 0)
  for (const point of points) {
    if (shownAt(track, point) - begin >= targetStart(firsts.length) && point > 0) firsts.push(point)
  }
  if (firsts.length > maxSegments) throw limitExceeded("The file is too long.")
  return Uint32Array.from([...firsts, track.samples.count])
}

/** Returns the first sample from one on that is shown at a time or later, of a track whose samples have no delays. */
const firstShown = (track: Track, from: number, time: number): number => {
  let [low, high] = [from, track.samples.count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (shownAt(track, middle) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the samples of another track that are shown first in each segment. */
const follow = (track: Track, starts: Float64Array): Uint32Array => {
  const { pause, samples, start, timeScale } = track
  const { count, delays, isPlain, times } = samples
  const firsts = new Uint32Array(starts.length)
  let index = 0
  for (let segment = 1; segment + 1 < starts.length; segment++) {
    const begin = starts[segment] ?? 0
    if (isPlain) index = firstShown(track, index, begin)
    while (index < count && ((times[index] ?? 0) + (delays[index] ?? 0) - start + pause) / timeScale < begin) index++
    firsts[segment] = index
  }
  firsts[starts.length - 1] = count
  return firsts
}

/**
 * Throws if a segment before the last one with audio has none. Players of HLS that begin without audio refuse it later or leave it out, and
 * those that find a gap wait or skip the video.
 */
const requireWhole = ({ samples: { count } }: Track, firsts: Uint32Array): Uint32Array => {
  const isMissing = firsts.some((first, segment) => first < count && first === firsts[segment + 1])
  if (isMissing) throw unsupported("The audio begins late or has a gap longer than a segment.")
  return firsts
}

/** Returns the starts of segments, and the end. */
const timesOf = (
  track: Track,
  firsts: Uint32Array,
  spans: ReadonlyArray<readonly [begin: number, end: number]>
): Float64Array => {
  const starts = Float64Array.from(firsts, (first) => shownAt(track, first))
  starts[0] = Math.max(0, Math.min(...spans.map(([begin]) => begin)))
  starts[starts.length - 1] = Math.max(...spans.map(([, end]) => end))
  for (let segment = 0; segment + 1 < starts.length; segment++) {
    const duration = (starts[segment + 1] ?? 0) - (starts[segment] ?? 0)
    if (duration > longestSegment) throw unsupported("The keyframes are too far apart.")
  }
  return starts
}

const plan = <A extends Track>(track: A, firsts: Uint32Array): PlannedTrack<A> => {
  for (let segment = 0; segment + 1 < firsts.length; segment++) {
    const count = (firsts[segment + 1] ?? 0) - (firsts[segment] ?? 0)
    if (count > maxSegmentSamples) throw limitExceeded("A segment has too many samples.")
  }
  return { track, firsts, lead: leadOf(track.samples) }
}

/** Runs a part of the plan, then lets other fibers run: each takes some 20 ms for a million samples. */
const step = <A>(run: () => A): Effect.Effect<A, PackagingError> => Effect.tap(attempt(run), () => Effect.yieldNow)

/** Plans the segments of tracks that play together. Fails if a copy of them would not be right. */
export const make = Effect.fnUntraced(function* (video: VideoTrack | null, audio: ReadonlyArray<AudioTrack>) {
  const leading = video ?? audio[0]
  if (leading === undefined) return yield* unsupported("The file has neither video nor audio that can be copied.")
  const spans: Array<readonly [begin: number, end: number]> = []
  if (video !== null) spans.push(yield* step(() => spanOf(video, 0)))
  for (const track of audio) spans.push(yield* step(() => spanOf(track, -maxPriming)))
  const firsts = yield* step(() => cut(leading))
  const starts = yield* attempt(() => timesOf(leading, firsts, spans))
  const others: Array<PlannedTrack<AudioTrack>> = []
  for (const track of audio) {
    others.push(yield* step(() => plan(track, track === leading ? firsts : requireWhole(track, follow(track, starts)))))
  }
  const result: SegmentPlan = {
    count: firsts.length - 1,
    starts,
    video: video === null ? null : yield* step(() => plan(video, firsts)),
    audio: others
  }
  return result
})
