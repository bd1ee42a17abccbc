/**
 * The index of a packaged presentation as bytes: what is needed to cut each of its segments from the content. A reader loads the head
 * once, and for each segment some bytes of the rest.
 *
 *     bytes 0–3    `HFSI`
 *     bytes 4–7    version: 2; indexes of version 1 are read, too
 *     bytes 8–11   bytes of the head
 *     then         the head as JSON
 *     then         the directory: for each segment, and for the end, where its samples begin, the bytes of its MPEG-TS or 0, and the
 *                  continuity counters; 32 bits each
 *     then         the samples of each segment: for each track, their number, and `SampleColumns`
 *
 * The samples of a segment end with the first one of the next segment, from which follows how long the last one lasts.
 */
import * as Effect from "effect/Effect"
import type { ByteRange } from "../storage/BlobStore.ts"
import { attempt } from "./internal/Attempt.ts"
import * as Bytes from "./internal/index/Bytes.ts"
import * as Head from "./internal/index/Head.ts"
import * as SampleColumns from "./internal/index/SampleColumns.ts"
import * as Turns from "./internal/Turns.ts"
import { limitExceeded, malformed, type PackagingError } from "./PackagingError.ts"
import type { PlannedTrack, SegmentPlan } from "./SegmentPlan.ts"
import * as Silence from "./internal/aac/Silence.ts"
import type { Source } from "./Source.ts"
import type { AudioTrack, VideoTrack } from "./SourceIndex.ts"
import type { TransportStream } from "./TransportStream.ts"

const magic = 0x48465349
const version = 2
const firstVersion = 1
const fixedBytes = 12
const entryBytes = 12

/** Bytes of a head. The parameters of its codecs have 16 KiB each at most. */
const maxHeadBytes = 256 * 1024

/** Bytes of the samples of one segment. 20,000 of two tracks have less, if no column has more than 5 bytes for each. */
const maxSegmentBytes = 2 * 1024 * 1024

/** Samples of a track in a segment, with the first one of the next. */
const maxSamples = 20_001

/** Bytes of most samples: memory for them is allocated at once. */
const usualBytes = 6
const smallBytes = 4096

const noTransport = { counters: new Uint8Array(), sizes: new Float64Array() }

/** What is to be indexed. */
export interface Indexed {
  readonly plan: SegmentPlan
  /** For HLS; null for a presentation to DASH alone. */
  readonly transport: TransportStream | null
  readonly sourceBytes: number
  readonly silentBytes: number
  readonly isComposite: boolean
}

/** A presentation that was indexed. */
export interface OpenedIndex {
  /** Segments. */
  readonly count: number
  /** Bytes of the content. */
  readonly sourceBytes: number
  /** Bytes of silent frames behind it (`Silence`). */
  readonly silentBytes: number
  /** Whether the content consists of parts. */
  readonly isComposite: boolean
  /** Where the directory begins. */
  readonly directoryAt: number
  readonly tracks: ReadonlyArray<Head.TrackHead>
  /** Whether its samples are written as in version 1. */
  readonly isFirst: boolean
}

/** The tracks of one segment, with their samples of that segment alone. */
export interface IndexedSegment {
  readonly video: PlannedTrack<VideoTrack> | null
  readonly audio: PlannedTrack<AudioTrack> | null
  /** Bytes as MPEG-TS; 0 for a presentation to DASH alone. */
  readonly transportBytes: number
  /** Continuity counters of video and audio. */
  readonly counters: Uint8Array
}

const tracksOf = ({ audio, video }: SegmentPlan) => [...(video === null ? [] : [video]), ...audio]

/** Makes the index of a presentation. Lets other fibers run meanwhile. */
export const encode = Effect.fnUntraced(function* ({
  isComposite,
  plan,
  silentBytes,
  sourceBytes,
  transport
}: Indexed) {
  const tracks = tracksOf(plan)
  const head = yield* attempt(() =>
    Head.encode({
      sourceBytes,
      silentBytes,
      isComposite,
      count: plan.count,
      tracks: tracks.map(Head.fromPlanned)
    })
  )
  const directoryAt = fixedBytes + head.length
  const firstAt = directoryAt + entryBytes * (plan.count + 1)
  const count = tracks.reduce((sum, { track }) => sum + track.samples.count, 0)
  const samples = Bytes.makeWriter(usualBytes * count + smallBytes)
  const directory = Bytes.makeWriter(entryBytes * (plan.count + 1) + smallBytes)
  const addEntry = (index: number): void => {
    const { counters, sizes } = transport ?? noTransport
    directory.uint32(firstAt + samples.length())
    directory.uint32(sizes[index] ?? 0)
    directory.uint32(16 * (counters[2 * index] ?? 0) + (counters[2 * index + 1] ?? 0))
  }
  yield* Turns.forEach(plan.count, (index) => {
    if ((transport?.sizes[index] ?? 0) >= 2 ** 32) throw limitExceeded("A segment is too large.")
    addEntry(index)
    let handled = 0
    for (const { firsts, track } of tracks) {
      const from = firsts[index] ?? 0
      const to = firsts[index + 1] ?? 0
      handled += to - from
      samples.whole(to - from)
      SampleColumns.write(samples, track.samples, from, Math.min(to + 1, track.samples.count))
    }
    return handled
  })
  addEntry(plan.count)
  const start = Bytes.makeWriter(smallBytes)
  for (const value of [magic, version, head.length]) start.uint32(value)
  return [start.toBytes(), head, directory.toBytes(), samples.toBytes()]
})

/** Reads a range of the index, as a whole. */
type Read<E> = (range: ByteRange) => Effect.Effect<Uint8Array, E>

/** Opens an index. Fails with `Malformed` if the bytes are none, or of another version. */
export const open = Effect.fnUntraced(function* <E>(read: Read<E>): Effect.fn.Return<OpenedIndex, E | PackagingError> {
  const start = yield* read({ offset: 0, length: fixedBytes })
  const { isFirst, length } = yield* attempt(() => {
    const { uint32 } = Bytes.makeReader(start)
    const [found, known, bytes] = [uint32(), uint32(), uint32()]
    if (found !== magic || (known !== version && known !== firstVersion)) throw malformed("The bytes are no index.")
    if (bytes > maxHeadBytes) throw malformed("An index is damaged.")
    return { isFirst: known === firstVersion, length: bytes }
  })
  const bytes = yield* read({ offset: fixedBytes, length })
  const head = yield* attempt(() => Head.decode(bytes))
  return { ...head, silentBytes: head.silentBytes ?? 0, directoryAt: fixedBytes + length, isFirst }
})

/** Returns the content of a presentation with the silence behind it. */
export const withSilence = <E>({ silentBytes, tracks }: OpenedIndex, content: Source<E>): Source<E> => {
  const audio = tracks.find(({ kind }) => kind === "audio")
  return audio?.kind === "audio" ? Silence.behind(content, audio, silentBytes) : content
}

/** Reads what is needed for one segment. `number` is less than `count`. */
export const segment = Effect.fnUntraced(function* <E>(
  index: OpenedIndex,
  number: number,
  read: Read<E>
): Effect.fn.Return<IndexedSegment, E | PackagingError> {
  const entries = yield* read({ offset: index.directoryAt + entryBytes * number, length: 2 * entryBytes })
  const entry = yield* attempt(() => {
    const { uint32 } = Bytes.makeReader(entries)
    const [offset, transportBytes, counters, end] = [uint32(), uint32(), uint32(), uint32()]
    if (end < offset || end - offset > maxSegmentBytes) throw malformed("An index is damaged.")
    return { offset, length: end - offset, transportBytes, counters: Uint8Array.of(counters >> 4, counters & 15) }
  })
  const bytes = yield* read({ offset: entry.offset, length: entry.length })
  return yield* attempt(() => {
    const reader = Bytes.makeReader(bytes)
    let video: IndexedSegment["video"] = null
    let audio: IndexedSegment["audio"] = null
    for (const track of index.tracks) {
      const count = reader.whole()
      const bounds = { maxCount: maxSamples, fileBytes: index.sourceBytes + index.silentBytes }
      const samples = SampleColumns.read(reader, bounds, index.isFirst)
      if (count > samples.count) throw malformed("An index is damaged.")
      const planned = { firsts: Uint32Array.of(0, count), lead: track.lead }
      if (track.kind !== "audio") video = { ...planned, track: { ...Head.toVideo(track), samples } }
      else audio = { ...planned, track: { ...Head.toAudio(track), samples } }
    }
    return { video, audio, transportBytes: entry.transportBytes, counters: entry.counters }
  })
})
