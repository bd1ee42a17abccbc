/**
 * Opens segments of HLS of shared presentations, which are made of those of DASH when they are read.
 */
import * as Effect from "effect/Effect"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { ConversionRepository, SharedSegment } from "../../conversions/ConversionRepository.ts"
import type { Segment } from "../../conversions/Publication.ts"
import { ContentDamaged } from "../../files/FileErrors.ts"
import * as StoredContent from "../../files/StoredContent.ts"
import { DamageReports } from "../../integrity/DamageReports.ts"
import type { MetadataError } from "../../MetadataError.ts"
import * as ContentSource from "../../packaging/ContentSource.ts"
import * as SharedTracks from "../../packaging/SharedTracks.ts"
import { BlobError } from "../../storage/BlobError.ts"
import { BlobStore } from "../../storage/BlobStore.ts"
import * as StreamFiles from "../../transcoding/StreamFiles.ts"
import type { OpenedSegment } from "../OpenedStream.ts"
import * as MadeSegments from "./MadeSegments.ts"
import * as RecentlyUsed from "./RecentlyUsed.ts"

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

const toBlobError = (cause: MetadataError): BlobError =>
  new BlobError({ reason: cause.isRetryable ? "Unavailable" : "Internal", operation: cause.operation, cause })

/** `openMade` opens what is made when it is read. */
export const make = Effect.fnUntraced(function* (
  conversions: ConversionRepository["Service"],
  openMade: MadeSegments.Open
) {
  const store = yield* BlobStore
  const reports = yield* DamageReports
  const all = RecentlyUsed.make<SharedTracks.SharedTracks>(keptTracks)

  /** Reads the tracks of a presentation. */
  const readTracks = (bucket: BucketRef, { blobId, size }: Wanted["tracks"]) => {
    const { bucketId, tenantId } = bucket
    const stored = StoredContent.make(store, reports, { tenantId, bucketId, blobId, size })
    const read = Effect.flatMap(ContentSource.readRange(stored, { offset: 0, length: size }), SharedTracks.decode)
    return all.get(blobId, MadeSegments.orDamaged(stored.reportDamage)(read))
  }

  /** Returns the access to the segments that are there, by their names. */
  const findParts = (
    { bucketId, tenantId }: BucketRef,
    conversionId: string,
    names: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyMap<string, SharedSegment & { readonly stored: StoredContent.StoredContent }>, ReadError> =>
    conversions.findSegments(conversionId, names).pipe(
      Effect.mapError(toBlobError),
      Effect.flatMap((found) =>
        found.some(({ damaged }) => damaged) ? Effect.fail(new ContentDamaged()) : Effect.succeed(found)
      ),
      Effect.map(
        (found) =>
          new Map(
            found.map((part) => {
              const { blobId, size } = part
              const stored = StoredContent.make(store, reports, { tenantId, bucketId, blobId, size })
              return [part.name, { ...part, stored }]
            })
          )
      )
    )

  /** Opens a segment; undefined if the presentation has none of this name. */
  return Effect.fnUntraced(function* ({ bucket, tracks: blob, ...segment }: Wanted) {
    const parsed = StreamFiles.parseTransport(segment.name)
    if (parsed === undefined) return undefined
    const tracks = yield* readTracks(bucket, blob)
    const rendition = SharedTracks.findRendition(tracks, parsed)
    if (rendition === undefined) return undefined
    const names = StreamFiles.sharedParts(rendition, parsed.index)
    const parts = findParts(bucket, segment.conversionId, names)
    const reportDamage = Effect.flatMap(
      Effect.orElseSucceed(parts, () => new Map<string, never>()),
      (found) =>
        Effect.forEach(found.values(), ({ stored }: { stored: StoredContent.StoredContent }) => stored.reportDamage, {
          discard: true
        })
    )
    const find = Effect.gen(function* () {
      const found = yield* parts
      if (!found.has(names[0] ?? "")) return undefined
      const sourceOf = (name: string) => {
        const part = found.get(name)
        return part && ContentSource.make(part.stored, part.size)
      }
      const toTransport = SharedTracks.toTransport(tracks, rendition, parsed.index, sourceOf)
      const planned = yield* MadeSegments.orDamaged(reportDamage)(toTransport)
      const made: MadeSegments.Made = {
        size: planned.size,
        cut: (isTransient) => MadeSegments.cutOrDamaged(planned.cut(isTransient), reportDamage)
      }
      return made
    })
    const check = Effect.flatMap(parts, (found) =>
      Effect.forEach(found.values(), ({ stored }) => stored.check, { discard: true })
    )
    return yield* openMade({ ...segment, source: blob.blobId, version, find, check, reportDamage })
  })
})
