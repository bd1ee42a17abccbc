/**
 * The lower renditions of a shared presentation whose video was copied or is packaged. They are stored as segments of DASH, without audio:
 * their segments of HLS have the audio that the segments of the best rendition have.
 */
import * as Effect from "effect/Effect"
import * as Bitrates from "../../transcoding/Bitrates.ts"
import type { Rendition } from "../../transcoding/Presentation.ts"
import * as StreamFiles from "../../transcoding/StreamFiles.ts"
import { type PackagingError, unsupported } from "../PackagingError.ts"
import * as SegmentIndex from "../SegmentIndex.ts"
import type { Source } from "../Source.ts"
import * as SourceReader from "../SourceReader.ts"
import * as StoredSegment from "../StoredSegment.ts"

/** What a segment of HLS is made of. */
export interface Parts<E> extends Pick<StoredSegment.StoredTracks<E>, "audio" | "delay" | "sequence"> {
  readonly init: SourceReader.Initialization
  readonly chunk: Source<E>
}

/** Plans a segment of HLS. Its times are those of the best rendition. */
export const toTransport = <E>({
  chunk,
  init,
  ...rest
}: Parts<E>): Effect.Effect<StoredSegment.StoredSegment<E>, E | PackagingError> =>
  StoredSegment.make({ ...rest, video: { init, segment: chunk } })

/** Returns the audio of a segment that is cut from a file. */
export const packagedAudio = <E>(
  index: SegmentIndex.OpenedIndex,
  { audio }: Pick<SegmentIndex.IndexedSegment, "audio">,
  content: Source<E>
): StoredSegment.PackagedAudio<E> | undefined =>
  audio === null ? undefined : { planned: audio, source: SegmentIndex.withSilence(index, content) }

/** What is known of a presentation when its lower renditions have been encoded. */
export interface Encoded<E> extends Pick<Parts<E>, "delay"> {
  /** Seconds of each segment. */
  readonly durations: ReadonlyArray<number>
  /** Seconds of the presentation at which the video of the best rendition begins. */
  readonly begin: number
  /** Returns the audio of a segment. */
  readonly audio: (sequence: number) => Effect.Effect<Parts<E>["audio"], E | PackagingError>
  /** Opens a file that was encoded. */
  readonly open: (name: string) => Effect.Effect<Source<E>, E>
}

/** Seconds by which a rendition may begin at another time than the best one. */
const tolerance = 0.1

/** Reads an initialization segment. */
export const readInit = <E>(init: Source<E>): Effect.Effect<SourceReader.Initialization, E | PackagingError> =>
  Effect.flatMap(init.readRange({ offset: 0, length: init.size }), SourceReader.readInitialization)

/**
 * Returns a rendition with the facts of its segments of HLS. Plans each of them: fails with a `PackagingError` if one cannot be made, or if
 * the rendition begins at another time than the best one.
 */
export const measure = Effect.fnUntraced(function* <E>(encoded: Encoded<E>, rendition: Rendition) {
  const { audio, delay, durations, open } = encoded
  const init = yield* readInit(yield* open(StreamFiles.ladderInit(rendition)))
  const segments: Array<Bitrates.Segment> = []
  let codecs: ReadonlyArray<string> = []
  for (const [sequence, duration] of durations.entries()) {
    const chunk = yield* open(StreamFiles.ladderChunk(rendition, sequence + 1))
    if (sequence === 0) {
      const begin = yield* StoredSegment.beginOf({ init, segment: chunk })
      const isLate = Math.abs(begin - encoded.begin) > tolerance
      if (isLate) return yield* unsupported("A lower rendition begins at another time than the best one.")
    }
    const made = yield* toTransport({ init, chunk, audio: yield* audio(sequence), delay, sequence })
    if (sequence === 0) codecs = made.codecs
    segments.push({ duration, bytes: made.size })
  }
  const { average, peak } = Bitrates.measure(segments)
  const measured: Rendition = { ...rendition, bitrate: average, peakBitrate: peak, codecs }
  return measured
})
