/**
 * The lower renditions of a packaged presentation, which are stored as the segments of DASH, without audio. Their segments of HLS have the
 * audio that the segments of the best rendition have: it is cut from the content.
 */
import * as Effect from "effect/Effect"
import * as Bitrates from "../../transcoding/Bitrates.ts"
import type { Rendition } from "../../transcoding/Presentation.ts"
import * as StreamFiles from "../../transcoding/StreamFiles.ts"
import { type PackagingError, unsupported } from "../PackagingError.ts"
import type { IndexedSegment } from "../SegmentIndex.ts"
import { shownAt } from "../SegmentPlan.ts"
import type { Source } from "../Source.ts"
import * as SourceReader from "../SourceReader.ts"
import * as StoredSegment from "../StoredSegment.ts"

/** What a segment of HLS is made of. */
export interface Parts<E> {
  readonly init: SourceReader.Initialization
  readonly chunk: Source<E>
  /** The segment of the best rendition with the same number. */
  readonly indexed: IndexedSegment
  readonly content: Source<E>
  /** Its number in the presentation. */
  readonly sequence: number
}

/** Plans a segment of HLS. Its times are those of the best rendition. */
export const toTransport = <E>({
  chunk,
  content,
  indexed: { audio },
  init,
  sequence
}: Parts<E>): Effect.Effect<StoredSegment.StoredSegment<E>, E | PackagingError> =>
  StoredSegment.make({
    video: { init, segment: chunk },
    audio: audio === null ? undefined : { planned: audio, source: content },
    delay: 0,
    sequence
  })

/** What is known of a presentation when its lower renditions have been encoded. */
export interface Encoded<E> {
  /** Seconds of each segment. */
  readonly durations: ReadonlyArray<number>
  /** Returns a segment of the best rendition. */
  readonly segment: (number: number) => Effect.Effect<IndexedSegment, E | PackagingError>
  readonly content: Source<E>
  /** Opens a file that was encoded. */
  readonly open: (name: string) => Effect.Effect<Source<E>, E>
}

/** Seconds by which a rendition may begin at another time than the best one. */
const tolerance = 0.1

const readInit = Effect.fnUntraced(function* <E>({ open }: Encoded<E>, rendition: Rendition) {
  const init = yield* open(StreamFiles.ladderInit(rendition))
  return yield* SourceReader.readInitialization(yield* init.readRange({ offset: 0, length: init.size }))
})

/**
 * Returns a rendition with the facts of its segments of HLS. Plans each of them: fails with a `PackagingError` if one cannot be made, or if
 * the rendition begins at another time than the best one.
 */
export const measure = Effect.fnUntraced(function* <E>(encoded: Encoded<E>, rendition: Rendition) {
  const { content, durations, open, segment } = encoded
  const init = yield* readInit(encoded, rendition)
  const segments: Array<Bitrates.Segment> = []
  let codecs: ReadonlyArray<string> = []
  for (const [sequence, duration] of durations.entries()) {
    const chunk = yield* open(StreamFiles.ladderChunk(rendition, sequence + 1))
    const indexed = yield* segment(sequence)
    if (sequence === 0 && indexed.video !== null) {
      const begin = yield* StoredSegment.beginOf({ init, segment: chunk })
      const isLate = Math.abs(begin - shownAt(indexed.video.track, 0)) > tolerance
      if (isLate) return yield* unsupported("A lower rendition begins at another time than the best one.")
    }
    const made = yield* toTransport({ init, chunk, indexed, content, sequence })
    if (sequence === 0) codecs = made.codecs
    segments.push({ duration, bytes: made.size })
  }
  const { average, peak } = Bitrates.measure(segments)
  const measured: Rendition = { ...rendition, bitrate: average, peakBitrate: peak, codecs }
  return measured
})
