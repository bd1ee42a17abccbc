/**
 * Finds a segment of a packaged presentation by its name, and cuts it from the content.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ByteRange } from "../storage/BlobStore.ts"
import * as HevcFiles from "../transcoding/hevc/HevcFiles.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import * as FragmentedMp4 from "./FragmentedMp4.ts"
import { attempt } from "./internal/Attempt.ts"
import * as Head from "./internal/index/Head.ts"
import type { PackagingError } from "./PackagingError.ts"
import * as Samples from "./Samples.ts"
import * as SegmentIndex from "./SegmentIndex.ts"
import type { Source } from "./Source.ts"
import * as TransportStream from "./TransportStream.ts"

export interface PackagedFile {
  /** Bytes. */
  readonly size: number
  /** Returns the bytes. */
  readonly cut: <E>(
    source: Source<E>,
    options?: FragmentedMp4.ReadOptions
  ) => Stream.Stream<Uint8Array, E | PackagingError>
}

const initialization = (track: Head.TrackHead): PackagedFile => {
  const head = track.kind === "audio" ? Head.toAudio(track) : Head.toVideo(track)
  const bytes = FragmentedMp4.initialization({ ...head, samples: Samples.none })
  return { size: bytes.length, cut: () => Stream.succeed(bytes) }
}

const toTransport = (
  index: SegmentIndex.OpenedIndex,
  segment: SegmentIndex.IndexedSegment,
  number: number
): PackagedFile | undefined => {
  const { audio, counters, transportBytes: size, video } = segment
  if (size === 0 || (video !== null && !TransportStream.isAvc(video))) return undefined
  const stream = { audio, video, counters, sizes: Float64Array.of(size), keyframes: Float64Array.of(0) }
  return {
    size,
    cut: (source, options) =>
      TransportStream.segment(SegmentIndex.withSilence(index, source), stream, 0, { ...options, sequence: number })
  }
}

/** Finds a file; undefined if the presentation has none of this name. `read` reads a range of the index. */
export const find = Effect.fnUntraced(function* <E>(
  index: SegmentIndex.OpenedIndex,
  name: string,
  read: (range: ByteRange) => Effect.Effect<Uint8Array, E>
): Effect.fn.Return<PackagedFile | undefined, E | PackagingError> {
  const hevc = HevcFiles.parse(name)
  const parsed = hevc === undefined ? StreamFiles.parseSegment(name) : { representation: 0, index: hevc.index }
  if (parsed === undefined || hevc?.audio !== undefined) return undefined
  const { index: number, representation } = parsed
  const track = index.tracks[representation]
  if (number === undefined) return track === undefined ? undefined : yield* attempt(() => initialization(track))
  if (number < 0 || number >= index.count) return undefined
  const isTransport = name.endsWith(".ts")
  if (!isTransport && track === undefined) return undefined
  const segment = yield* SegmentIndex.segment(index, number, read)
  if (isTransport) return toTransport(index, segment, number)
  const planned = track?.kind === "audio" ? segment.audio : segment.video
  if (planned === null || (planned.firsts[1] ?? 0) === 0) return undefined
  const size = yield* attempt(() => FragmentedMp4.sizeOf(planned, 0))
  return {
    size,
    cut: (source, options) =>
      FragmentedMp4.segment(SegmentIndex.withSilence(index, source), planned, 0, { ...options, sequence: number })
  }
})
