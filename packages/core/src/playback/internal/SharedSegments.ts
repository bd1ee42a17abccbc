/**
 * Opens segments of HLS of shared presentations, also of the lower renditions of a copy, and audio for the H.265 beside them, which are made
 * of those of DASH when they are read.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { ConversionRepository } from "../../conversions/ConversionRepository.ts"
import * as StoredParts from "../../conversions/internal/StoredParts.ts"
import type { Segment } from "../../conversions/Publication.ts"
import type { ContentDamaged } from "../../files/FileErrors.ts"
import * as StoredContent from "../../files/StoredContent.ts"
import { DamageReports } from "../../integrity/DamageReports.ts"
import * as ContentSource from "../../packaging/ContentSource.ts"
import type { PackagingError } from "../../packaging/PackagingError.ts"
import * as StoredRung from "../../packaging/internal/StoredRung.ts"
import * as SharedTracks from "../../packaging/SharedTracks.ts"
import type { StoredSegment } from "../../packaging/StoredSegment.ts"
import type { BlobError } from "../../storage/BlobError.ts"
import { BlobStore } from "../../storage/BlobStore.ts"
import * as HevcFiles from "../../transcoding/hevc/HevcFiles.ts"
import * as StreamFiles from "../../transcoding/StreamFiles.ts"
import type { OpenedSegment } from "../OpenedStream.ts"
import * as MadeSegments from "./MadeSegments.ts"
import * as RecentlyUsed from "../../packaging/internal/RecentlyUsed.ts"
import * as StoredInits from "./StoredInits.ts"

/** A segment of the conversion whose tracks these are. */
interface Wanted extends Pick<OpenedSegment, "conversionId" | "fileId" | "name" | "state"> {
  readonly bucket: BucketRef
  readonly tracks: Omit<Segment, "name">
}

/** Tracks take some 20 KiB in memory. */
const keptTracks = 512

/** Changes when other bytes are made of the same segments. */
const version = 1

type ReadError = BlobError | ContentDamaged

/** How a segment is made. */
interface Recipe {
  /** The stored segments of which it is made, the one first that has to be there. */
  readonly names: ReadonlyArray<string>
  /** Plans it; undefined if there is none. */
  readonly make: (found: StoredParts.StoredParts) => Effect.Effect<Planned | undefined, ReadError | PackagingError>
}

type Planned = Pick<StoredSegment<ReadError>, "cut" | "size">

const ofBytes = (bytes: Uint8Array): Planned => ({ size: bytes.length, cut: () => Stream.succeed(bytes) })

/** `openMade` opens what is made when it is read. */
export const make = Effect.fnUntraced(function* (
  conversions: ConversionRepository["Service"],
  openMade: MadeSegments.Open
) {
  const store = yield* BlobStore
  const reports = yield* DamageReports
  const findParts = StoredParts.make(conversions, store, reports)
  const readInit = StoredInits.make()
  const all = RecentlyUsed.make<SharedTracks.SharedTracks>(keptTracks)

  /** Reads the tracks of a presentation. */
  const readTracks = (bucket: BucketRef, { blobId, size }: Wanted["tracks"]) => {
    const { bucketId, tenantId } = bucket
    const stored = StoredContent.make(store, reports, { tenantId, bucketId, blobId, size })
    const read = Effect.flatMap(ContentSource.readRange(stored, { offset: 0, length: size }), SharedTracks.decode)
    return all.get(blobId, MadeSegments.orDamaged(stored.reportDamage)(read))
  }

  /** A segment of a lower rendition, which has the audio of the best one. */
  const recipeOfRung = (tracks: SharedTracks.SharedTracks, rung: StreamFiles.RungName): Recipe => {
    const names = { init: StreamFiles.ladderInit(rung), chunk: StreamFiles.ladderChunk(rung, rung.index + 1) }
    const audio = SharedTracks.defaultAudio(tracks, rung.index)
    return {
      names: [names.chunk, names.init, ...(audio === undefined ? [] : [audio.name])],
      make: (found) => {
        const init = found.get(names.init)
        const chunk = found.get(names.chunk)
        if (init === undefined || chunk === undefined) return Effect.undefined
        return Effect.flatMap(readInit(init), (read) =>
          StoredRung.toTransport({
            init: read,
            chunk: StoredParts.sourceOf(chunk),
            audio: audio && { init: audio.init, segment: StoredParts.sourceIn(found)(audio.name) },
            delay: tracks.delay,
            sequence: rung.index
          })
        )
      }
    }
  }

  /** Returns what a segment is made of; undefined if the presentation has none of this name. */
  const recipeOf = (tracks: SharedTracks.SharedTracks, name: string): Recipe | undefined => {
    const hevc = HevcFiles.parse(name)
    if (hevc !== undefined) {
      const { audio: order, index } = hevc
      const representation =
        order === undefined ? undefined : SharedTracks.audioRepresentation(tracks.renditions, order)
      if (order === undefined || representation === undefined) return undefined
      return {
        names: index === undefined ? [] : [StreamFiles.chunk(representation, index + 1)],
        make: (found) =>
          Effect.map(SharedTracks.toFragment(tracks, order, index, StoredParts.sourceIn(found)), (made) =>
            made === undefined || index !== undefined ? made?.segment : ofBytes(made.init)
          )
      }
    }
    const parsed = StreamFiles.parseTransport(name)
    const rendition = parsed && SharedTracks.findRendition(tracks, parsed)
    const rung = StreamFiles.parseRung(name)
    if (rendition === undefined && rung !== undefined) return recipeOfRung(tracks, rung)
    if (parsed === undefined || rendition === undefined) return undefined
    return {
      names: StreamFiles.sharedParts(rendition, parsed.index),
      make: (found) => SharedTracks.toTransport(tracks, rendition, parsed.index, StoredParts.sourceIn(found))
    }
  }

  const findMade = Effect.fnUntraced(function* (
    { make, names }: Recipe,
    parts: Effect.Effect<StoredParts.StoredParts, ReadError>,
    reportDamage: Effect.Effect<void>
  ) {
    const found = yield* parts
    const [first] = names
    if (first !== undefined && !found.has(first)) return undefined
    const planned = yield* MadeSegments.orDamaged(reportDamage)(make(found))
    return planned && MadeSegments.ofPlanned(planned, reportDamage)
  })

  /** Opens a segment; undefined if the presentation has none of this name. */
  return Effect.fnUntraced(function* ({ bucket, tracks: blob, ...segment }: Wanted) {
    const tracks = yield* readTracks(bucket, blob)
    const recipe = recipeOf(tracks, segment.name)
    if (recipe === undefined) return undefined
    const parts = findParts(bucket, segment.conversionId, recipe.names)
    const reportDamage = StoredParts.reportDamage(parts)
    const find = findMade(recipe, parts, reportDamage)
    const check = StoredParts.check(parts)
    return yield* openMade({ ...segment, source: blob.blobId, version, find, check, reportDamage })
  })
})
