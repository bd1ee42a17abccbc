/**
 * Reads the index of an MP4 or QuickTime file, with fragments or without, wherever its parts are (ISO/IEC 14496-12).
 *
 * The file may come from an attacker. A file that cannot be read fails with a `PackagingError`. Memory and processor time are bounded
 * by `internal/mp4/Limits`, whatever the file declares, and all reads are within the file.
 */
import * as Effect from "effect/Effect"
import { attempt } from "./internal/Attempt.ts"
import * as Boxes from "./internal/mp4/Boxes.ts"
import * as Fragments from "./internal/mp4/Fragments.ts"
import * as SampleList from "./internal/mp4/SampleList.ts"
import * as SampleTable from "./internal/mp4/SampleTable.ts"
import * as TopLevel from "./internal/mp4/TopLevel.ts"
import * as Tracks from "./internal/mp4/Tracks.ts"
import { malformed, type PackagingError } from "./PackagingError.ts"
import { none as noSamples, type Samples } from "./Samples.ts"
import type { Source } from "./Source.ts"
import type { Ac3Track, AudioTrack, SourceIndex, VideoTrack } from "./SourceIndex.ts"

/** Runs a parser, then lets other fibers run: each takes a few milliseconds for a million samples. */
const parse = <A>(parser: () => A): Effect.Effect<A, PackagingError> =>
  Effect.tap(attempt(parser), () => Effect.yieldNow)

/** Reads the tables of a track. `total` counts the samples of all tracks. */
const readTable = Effect.fnUntraced(function* (stbl: DataView, fileBytes: number, total: { count: number }) {
  const sizes = yield* parse(() => SampleTable.sizes(stbl, fileBytes))
  const count = sizes.length
  total.count += count
  yield* attempt(() => SampleTable.checkCount(total.count))
  const { isIncreasing, times } = yield* parse(() => SampleTable.times(stbl, count))
  const { delays, isDelayed } = yield* parse(() => SampleTable.delays(stbl, count))
  const syncs = yield* parse(() => SampleTable.syncs(stbl, count))
  const { isOrdered, offsets } = yield* parse(() => SampleTable.offsets(stbl, sizes, fileBytes))
  const samples: Samples = {
    count,
    offsets,
    sizes,
    times: times.subarray(0, count),
    delays,
    syncs,
    end: times[count] ?? 0,
    isPlain: isIncreasing && !isDelayed,
    isOrdered
  }
  return samples
})

/** The tracks of a file, and the lists of samples of a file with fragments. */
interface Found {
  readonly tracks: Tracks.Tracks
  readonly samples: ReadonlyMap<Tracks.TrackHead, Samples>
  readonly fragments: FragmentLists | undefined
}

interface FragmentLists {
  readonly defaults: ReturnType<typeof Fragments.defaults>
  readonly lists: ReadonlyMap<number, SampleList.SampleList>
}

/** Returns the tracks without their samples. */
const describe = ({ heads, others }: Tracks.Tracks): SourceIndex => ({
  video: heads.flatMap((head) => (head.kind === "video" ? [{ ...head.format, samples: noSamples }] : [])),
  audio: heads.flatMap((head) => (head.kind === "audio" ? [{ ...head.format, samples: noSamples }] : [])),
  ac3: heads.flatMap((head) => (head.kind === "ac3" ? [{ ...head.format, samples: noSamples }] : [])),
  others
})

type OnTracks<E> = (described: SourceIndex) => Effect.Effect<void, E>

const readMovie = Effect.fnUntraced(function* <E>(moov: DataView, fileBytes: number, onTracks: OnTracks<E>) {
  const tracks = yield* parse(() => Tracks.parse(moov))
  yield* onTracks(describe(tracks))
  const total = { count: 0 }
  if (tracks.isFragmented) {
    const defaults = yield* parse(() => Fragments.defaults(moov))
    const lists = new Map<number, SampleList.SampleList>()
    for (const head of tracks.heads) {
      const list = SampleList.make(fileBytes, total)
      // The tables describe the samples before the first fragment, if there are some: FFmpeg writes such files.
      if (yield* attempt(() => SampleTable.hasSamples(head.stbl))) {
        const samples = yield* readTable(head.stbl, fileBytes, { count: 0 })
        yield* parse(() => list.addAll(samples))
      }
      lists.set(head.id, list)
    }
    return { tracks, samples: new Map(), fragments: { defaults, lists } } satisfies Found
  }
  const samples = new Map<Tracks.TrackHead, Samples>()
  for (const head of tracks.heads) samples.set(head, yield* readTable(head.stbl, fileBytes, total))
  return { tracks, samples, fragments: undefined } satisfies Found
})

const toIndex = ({ fragments, samples: tables, tracks }: Found): SourceIndex => {
  const video: Array<VideoTrack> = []
  const audio: Array<AudioTrack> = []
  const ac3: Array<Ac3Track> = []
  for (const head of tracks.heads) {
    const samples = fragments?.lists.get(head.id)?.toSamples() ?? tables.get(head)
    if (samples === undefined) throw malformed("A track has no samples.")
    if (head.kind === "video") video.push({ ...head.format, samples })
    else if (head.kind === "audio") audio.push({ ...head.format, samples })
    else ac3.push({ ...head.format, samples })
  }
  return { video, audio, ac3, others: tracks.others }
}

/** The tracks of an initialization segment, which has no samples, and what its fragments need of it. */
export interface Initialization {
  readonly tracks: Tracks.Tracks
  readonly defaults: ReturnType<typeof Fragments.defaults>
}

/** Parses an initialization segment. */
export const readInitialization = (bytes: Uint8Array): Effect.Effect<Initialization, PackagingError> =>
  attempt(() => {
    const moov = Boxes.get(Boxes.toView(bytes), "moov")
    const tracks = Tracks.parse(moov)
    if (tracks.heads.some(({ stbl }) => SampleTable.hasSamples(stbl))) {
      throw malformed("An initialization segment has samples.")
    }
    return { tracks, defaults: Fragments.defaults(moov) }
  })

/** Bytes of a segment that are read at once: the index of one with some seconds has a few. */
const segmentWindow = 16 * 1024

/** Reads the samples of a segment of these tracks, or none without a segment. Their offsets are those in the segment. */
export const readSegment = Effect.fnUntraced(function* <E>(
  { defaults, tracks }: Initialization,
  segment: Source<E> | undefined
): Effect.fn.Return<SourceIndex, E | PackagingError> {
  const total = { count: 0 }
  const lists = new Map(tracks.heads.map(({ id }) => [id, SampleList.make(segment?.size ?? 0, total)]))
  if (segment !== undefined) {
    const visit = (type: string, body: DataView, offset: number) =>
      attempt(() => {
        if (type !== "moof") throw malformed("A segment describes its tracks.")
        Fragments.add(body, offset, defaults, lists)
        return true
      })
    yield* TopLevel.scan(segment, visit, segmentWindow)
  }
  return yield* attempt(() => toIndex({ tracks, samples: new Map(), fragments: { defaults, lists } }))
})

/**
 * Reads the index of a file. Fails with the errors of the source, too. `onTracks` gets the tracks before their samples are read, which
 * takes most of the time; if it fails, reading does.
 */
export const read = Effect.fnUntraced(function* <E, E2 = never>(
  source: Source<E>,
  onTracks: OnTracks<E2> = () => Effect.void
): Effect.fn.Return<SourceIndex, E | E2 | PackagingError> {
  let found: Found | undefined
  yield* TopLevel.scan(source, (type, body, offset) =>
    Effect.gen(function* () {
      if (type === "moov") {
        if (found !== undefined) return yield* malformed("The file has two descriptions of its tracks.")
        found = yield* readMovie(body, source.size, onTracks)
        return found.fragments !== undefined
      }
      const fragments = found?.fragments
      if (fragments === undefined) return yield* malformed("A fragment comes before the tracks.")
      yield* parse(() => Fragments.add(body, offset, fragments.defaults, fragments.lists))
      return true
    })
  )
  const complete = found
  if (complete === undefined) return yield* malformed("The file has no description of its tracks: it may be cut off.")
  return yield* parse(() => toIndex(complete))
})
