/**
 * What is needed to make the segments of HLS of a shared presentation, beside the segments of DASH: the initialization segments, and which
 * representations a rendition consists of. It is stored as JSON.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import { malformed, type PackagingError } from "./PackagingError.ts"
import type { Source } from "./Source.ts"
import * as SourceReader from "./SourceReader.ts"
import * as StoredSegment from "./StoredSegment.ts"

const Representation = Schema.NullOr(Schema.Int)

const Stored = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.Literal(1),
    /** As in `StoredSegment.StoredTracks`. */
    delay: Schema.Finite,
    renditions: Schema.Array(Schema.Struct({ prefix: Schema.String, video: Representation, audio: Representation })),
    /** By representation. */
    inits: Schema.Array(Schema.Uint8ArrayFromBase64)
  })
)
type Stored = typeof Stored.Type

export interface SharedTracks extends Stored {
  /** What the initialization segments say. */
  readonly tracks: ReadonlyArray<SourceReader.Initialization>
}

const encodeStored = Schema.encodeSync(Stored)
const decodeStored = Schema.decodeUnknownOption(Stored)

const readTracks = (inits: ReadonlyArray<Uint8Array>): Effect.Effect<SharedTracks["tracks"], PackagingError> =>
  Effect.forEach(inits, SourceReader.readInitialization)

/**
 * Makes the tracks of a presentation with these initialization segments. Fails if one of them has no support, or is empty: a representation
 * without segments cannot be played.
 */
export const make = Effect.fnUntraced(function* (
  renditions: ReadonlyArray<StreamFiles.SharedRendition>,
  inits: ReadonlyArray<Uint8Array>
): Effect.fn.Return<SharedTracks, PackagingError> {
  const tracks = yield* readTracks(inits)
  const delays = yield* Effect.forEach(tracks, StoredSegment.delayOf)
  return { version: 1, delay: Math.max(0, ...delays), renditions, inits, tracks }
})

export const encode = ({ delay, inits, renditions, version }: SharedTracks): string =>
  encodeStored({ version, delay, renditions, inits })

/** Reads what `encode` has written. */
export const decode = (bytes: Uint8Array): Effect.Effect<SharedTracks, PackagingError> =>
  Effect.suspend(() => {
    const decoded = decodeStored(new TextDecoder().decode(bytes))
    if (decoded._tag === "None") return Effect.fail(malformed("The tracks are damaged."))
    const stored = decoded.value
    return Effect.map(readTracks(stored.inits), (tracks) => ({ ...stored, tracks }))
  })

/** Finds the rendition of a segment of HLS; undefined if there is none of this name. */
export const findRendition = (
  { renditions }: Pick<SharedTracks, "renditions">,
  { prefix }: Pick<StreamFiles.TransportName, "prefix">
): StreamFiles.SharedRendition | undefined => renditions.find((rendition) => rendition.prefix === prefix)

/** The default audio of a segment. */
export interface DefaultAudio {
  readonly init: SourceReader.Initialization
  /** The name of its segment of DASH. */
  readonly name: string
}

/** Returns the default audio of a segment of HLS; undefined if the presentation has none. */
export const defaultAudio = ({ renditions, tracks }: SharedTracks, sequence: number): DefaultAudio | undefined => {
  const representation = findRendition({ renditions }, { prefix: "" })?.audio ?? null
  const init = representation === null ? undefined : tracks[representation]
  if (representation === null || init === undefined) return undefined
  return { init, name: StreamFiles.chunk(representation, sequence + 1) }
}

/** Plans a segment of HLS. `find` returns a segment of DASH by its name; undefined if there is none. */
export const toTransport = <E>(
  { delay, tracks }: SharedTracks,
  { audio, video }: StreamFiles.SharedRendition,
  sequence: number,
  find: (name: string) => Source<E> | undefined
): Effect.Effect<StoredSegment.StoredSegment<E>, E | PackagingError> => {
  const trackOf = (representation: number | null): StoredSegment.StoredTrack<E> | undefined => {
    const init = representation === null ? undefined : tracks[representation]
    if (representation === null || init === undefined) return undefined
    return { init, segment: find(StreamFiles.chunk(representation, sequence + 1)) }
  }
  return StoredSegment.make({ video: trackOf(video), audio: trackOf(audio), delay, sequence })
}

/** Plans a segment of audio of HLS as fragmented MP4, or its initialization segment; undefined if there is no audio at this place. */
export const toFragment = <E>(
  { delay, renditions, tracks }: SharedTracks,
  order: number,
  sequence: number | undefined,
  find: (name: string) => Source<E> | undefined
): Effect.Effect<StoredSegment.StoredFragment<E> | undefined, E | PackagingError> => {
  const representation = audioRepresentation(renditions, order)
  const init = representation === undefined ? undefined : tracks[representation]
  if (representation === undefined || init === undefined) return Effect.succeed(undefined)
  const segment = sequence === undefined ? undefined : find(StreamFiles.chunk(representation, sequence + 1))
  if (sequence !== undefined && segment === undefined) return Effect.succeed(undefined)
  return StoredSegment.toFragment({ init, segment }, { delay, sequence: sequence ?? 0 })
}

/** Returns the representations of audio, that of the default first. */
export const audioRepresentations = (renditions: SharedTracks["renditions"]): ReadonlyArray<number> => [
  ...new Set(renditions.flatMap(({ audio }) => (audio === null ? [] : [audio])))
]

/** Returns the representation of an audio rendition by its place among them, the default first; undefined if there is none. */
export const audioRepresentation = (renditions: SharedTracks["renditions"], order: number): number | undefined =>
  audioRepresentations(renditions)[order]
