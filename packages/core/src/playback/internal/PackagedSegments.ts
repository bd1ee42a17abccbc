/**
 * Opens segments of packaged presentations, which are cut from the content when they are read, and those of HLS of their lower renditions,
 * which are made of stored video and the audio of the content. Keeps what was read of the indexes last.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { ConversionRepository } from "../../conversions/ConversionRepository.ts"
import * as StoredParts from "../../conversions/internal/StoredParts.ts"
import type { Segment } from "../../conversions/Publication.ts"
import { ContentDamaged } from "../../files/FileErrors.ts"
import * as StoredContent from "../../files/StoredContent.ts"
import { DamageReports } from "../../integrity/DamageReports.ts"
import * as ContentSource from "../../packaging/ContentSource.ts"
import type * as FragmentedMp4 from "../../packaging/FragmentedMp4.ts"
import * as PackagedFile from "../../packaging/PackagedFile.ts"
import * as StoredRung from "../../packaging/internal/StoredRung.ts"
import * as SegmentIndex from "../../packaging/SegmentIndex.ts"
import type { BlobError } from "../../storage/BlobError.ts"
import { BlobStore, type ByteRange } from "../../storage/BlobStore.ts"
import * as CompositeParts from "../../storage/CompositeParts.ts"
import * as StreamFiles from "../../transcoding/StreamFiles.ts"
import type { OpenedSegment } from "../OpenedStream.ts"
import * as MadeSegments from "./MadeSegments.ts"
import * as RecentlyUsed from "../../packaging/internal/RecentlyUsed.ts"
import * as StoredInits from "./StoredInits.ts"

/** A segment of the conversion whose index this is. */
interface Wanted extends Pick<OpenedSegment, "conversionId" | "fileId" | "name" | "state"> {
  readonly bucket: BucketRef
  /** The blob of the content. */
  readonly blobId: string
  readonly index: Omit<Segment, "name">
  /** Whether the content is known to be damaged. */
  readonly contentDamaged: boolean
}

const keptPages = 128
const keptIndexes = 512

/** Changes when other bytes are cut from the same content and index. */
const version = 2

/** How a segment is made, and of what. */
interface Recipe extends Pick<OpenedSegment, "check" | "reportDamage"> {
  readonly find: Effect.Effect<MadeSegments.Made | undefined, BlobError | ContentDamaged>
}

/** An index that is open, and its content. */
interface Opened {
  readonly index: SegmentIndex.OpenedIndex
  readonly read: (range: ByteRange) => Effect.Effect<Uint8Array, BlobError | ContentDamaged>
  /** Reports the index. */
  readonly reportDamage: Effect.Effect<void>
  readonly content: StoredContent.StoredContent
}

/** Whether segments of lower renditions need the content: their audio is cut from it. */
const hasAudio = ({ tracks }: SegmentIndex.OpenedIndex): boolean => tracks.some(({ kind }) => kind === "audio")

/** `openMade` opens what is made when it is read. */
export const make = Effect.fnUntraced(function* (
  conversions: ConversionRepository["Service"],
  openMade: MadeSegments.Open
) {
  const store = yield* BlobStore
  const reports = yield* DamageReports
  const findContentParts = yield* CompositeParts.make
  const findParts = StoredParts.make(conversions, store, reports)
  const pages = RecentlyUsed.make<Uint8Array>(keptPages)
  const indexes = RecentlyUsed.make<SegmentIndex.OpenedIndex>(keptIndexes)
  const readInit = StoredInits.make()

  /** Makes what reads a range of an index, by pages. */
  const makeRead = ({ bucketId, tenantId }: BucketRef, { blobId, size }: Wanted["index"]) => {
    const stored = StoredContent.make(store, reports, { tenantId, bucketId, blobId, size })
    const { readRange } = ContentSource.makePaged(stored, size, { key: blobId, pages })
    return { read: readRange, reportDamage: stored.reportDamage }
  }

  /** A segment of the best rendition, which is cut from the content. */
  const cutFrom = ({ content, index, read, reportDamage }: Opened, name: string): Recipe => {
    const toMade = ({ cut, size }: PackagedFile.PackagedFile): MadeSegments.Made => {
      const open = ContentSource.open(content, index.sourceBytes)
      const planned = {
        size,
        cut: (options: FragmentedMp4.ReadOptions) => Stream.unwrap(Effect.map(open, (opened) => cut(opened, options)))
      }
      return MadeSegments.ofPlanned(planned, content.reportDamage)
    }
    const found = MadeSegments.orDamaged(reportDamage)(PackagedFile.find(index, name, read))
    return {
      find: Effect.map(found, (file) => file && toMade(file)),
      check: content.check,
      reportDamage: content.reportDamage
    }
  }

  /** Plans a segment of HLS of a lower rendition; undefined if the presentation has none with this number. */
  const planRung = Effect.fnUntraced(function* (
    { content, index, read, reportDamage }: Opened,
    parts: Effect.Effect<StoredParts.StoredParts, BlobError | ContentDamaged>,
    rung: StreamFiles.RungName
  ) {
    const found = yield* parts
    const init = found.get(StreamFiles.ladderInit(rung))
    const chunk = found.get(StreamFiles.ladderChunk(rung, rung.index + 1))
    if (init === undefined || chunk === undefined || rung.index >= index.count) return undefined
    const indexed = yield* MadeSegments.orDamaged(reportDamage)(SegmentIndex.segment(index, rung.index, read))
    return yield* MadeSegments.orDamaged(chunk.stored.reportDamage)(
      StoredRung.toTransport({
        init: yield* readInit(init),
        chunk: StoredParts.sourceOf(chunk),
        audio: StoredRung.packagedAudio(index, indexed, ContentSource.make(content, index.sourceBytes)),
        delay: 0,
        sequence: rung.index
      })
    )
  })

  /** A segment of HLS of a lower rendition, whose video is stored. */
  const makeFrom = (opened: Opened, { bucket, conversionId }: Wanted, rung: StreamFiles.RungName): Recipe => {
    const { content, index } = opened
    const names = [StreamFiles.ladderInit(rung), StreamFiles.ladderChunk(rung, rung.index + 1)]
    const parts = findParts(bucket, conversionId, names)
    const isAudible = hasAudio(index)
    const reportDamage = Effect.andThen(StoredParts.reportDamage(parts), isAudible ? content.reportDamage : Effect.void)
    const find = Effect.map(
      planRung(opened, parts, rung),
      (planned) => planned && MadeSegments.ofPlanned(planned, reportDamage)
    )
    const check = Effect.andThen(StoredParts.check(parts), isAudible ? content.check : Effect.void)
    return { find, check, reportDamage }
  }

  /**
   * Opens a segment; undefined if the presentation has none of this name. The content's own structure was checked when it was packaged:
   * a segment that cannot be cut has damaged bytes, of the content or of the index.
   */
  return Effect.fnUntraced(function* (wanted: Wanted) {
    const { blobId, bucket, contentDamaged, index: blob, ...segment } = wanted
    const { read, reportDamage } = makeRead(bucket, blob)
    const index = yield* MadeSegments.orDamaged(reportDamage)(indexes.get(blob.blobId, SegmentIndex.open(read)))
    const { isComposite, sourceBytes } = index
    const content = StoredContent.ofContent(store, reports, findContentParts, {
      ...bucket,
      blobId,
      size: sourceBytes,
      isComposite
    })
    const opened = { index, read, reportDamage, content }
    const rung = StreamFiles.parseRung(segment.name)
    if (contentDamaged && (rung === undefined || hasAudio(index))) return yield* new ContentDamaged()
    const recipe = rung === undefined ? cutFrom(opened, segment.name) : makeFrom(opened, wanted, rung)
    return yield* openMade({ ...segment, source: blob.blobId, version, ...recipe })
  })
})
