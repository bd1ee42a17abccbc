/**
 * Opens segments of packaged presentations, which are cut from the content when they are read. Keeps what was read of the indexes last.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { BucketRef } from "../../buckets/BucketRef.ts"
import type { Segment } from "../../conversions/Publication.ts"
import { ContentDamaged } from "../../files/FileErrors.ts"
import * as StoredContent from "../../files/StoredContent.ts"
import { DamageReports } from "../../integrity/DamageReports.ts"
import * as ContentSource from "../../packaging/ContentSource.ts"
import * as PackagedFile from "../../packaging/PackagedFile.ts"
import * as SegmentIndex from "../../packaging/SegmentIndex.ts"
import type { BlobError } from "../../storage/BlobError.ts"
import { BlobStore, type ByteRange } from "../../storage/BlobStore.ts"
import * as CompositeParts from "../../storage/CompositeParts.ts"
import type { OpenedSegment } from "../OpenedStream.ts"
import * as MadeSegments from "./MadeSegments.ts"
import * as RecentlyUsed from "./RecentlyUsed.ts"

/** A segment of the conversion whose index this is. */
interface Wanted extends Pick<OpenedSegment, "conversionId" | "fileId" | "name" | "state"> {
  readonly bucket: BucketRef
  /** The blob of the content. */
  readonly blobId: string
  readonly index: Omit<Segment, "name">
}

/** Bytes of an index that are read at once: the samples of several minutes. */
const pageBytes = 64 * 1024
const keptPages = 128
const keptIndexes = 512

/** Changes when other bytes are cut from the same content and index. */
const version = 2

/** `openMade` opens what is made when it is read. */
export const make = Effect.fnUntraced(function* (openMade: MadeSegments.Open) {
  const store = yield* BlobStore
  const reports = yield* DamageReports
  const findParts = yield* CompositeParts.make
  const pages = RecentlyUsed.make<Uint8Array>(keptPages)
  const indexes = RecentlyUsed.make<SegmentIndex.OpenedIndex>(keptIndexes)

  /** Makes what reads a range of an index, by pages. */
  const makeRead = ({ bucketId, tenantId }: BucketRef, { blobId, size }: Wanted["index"]) => {
    const stored = StoredContent.make(store, reports, { tenantId, bucketId, blobId, size })
    const readPage = (page: number): Effect.Effect<Uint8Array, BlobError | ContentDamaged> => {
      const offset = page * pageBytes
      const read = ContentSource.readRange(stored, { offset, length: Math.min(pageBytes, size - offset) })
      return pages.get(`${blobId} ${page}`, read)
    }
    const read = ({ length, offset }: ByteRange): Effect.Effect<Uint8Array, BlobError | ContentDamaged> => {
      if (offset + length > size) return Effect.andThen(stored.reportDamage, Effect.fail(new ContentDamaged()))
      const first = Math.floor(offset / pageBytes)
      const last = Math.floor((offset + Math.max(length, 1) - 1) / pageBytes)
      const from = offset - first * pageBytes
      if (first === last) return Effect.map(readPage(first), (page) => page.subarray(from, from + length))
      const all = Effect.forEach(
        Array.from({ length: last - first + 1 }, (_, index) => first + index),
        readPage
      )
      return Effect.map(all, (found) => {
        const bytes = new Uint8Array(found.reduce((sum, page) => sum + page.length, 0))
        let at = 0
        for (const page of found) {
          bytes.set(page, at)
          at += page.length
        }
        return bytes.subarray(from, from + length)
      })
    }
    return { read, reportDamage: stored.reportDamage }
  }

  /**
   * Opens a segment; undefined if the presentation has none of this name. The content's own structure was checked when it was packaged:
   * a segment that cannot be cut has damaged bytes, of the content or of the index.
   */
  return Effect.fnUntraced(function* ({ blobId, bucket, index: blob, ...segment }: Wanted) {
    const { read, reportDamage } = makeRead(bucket, blob)
    const orDamaged = MadeSegments.orDamaged(reportDamage)
    const index = yield* orDamaged(indexes.get(blob.blobId, SegmentIndex.open(read)))
    const { isComposite, sourceBytes } = index
    const content = StoredContent.ofContent(store, reports, findParts, {
      ...bucket,
      blobId,
      size: sourceBytes,
      isComposite
    })
    const toMade = (file: PackagedFile.PackagedFile): MadeSegments.Made => ({
      size: file.size,
      cut: (isTransient) => {
        const source = ContentSource.open(content, sourceBytes)
        const chunks = Stream.unwrap(Effect.map(source, (opened) => file.cut(opened, isTransient)))
        return MadeSegments.cutOrDamaged(chunks, content.reportDamage)
      }
    })
    const find = Effect.map(orDamaged(PackagedFile.find(index, segment.name, read)), (file) => file && toMade(file))
    return yield* openMade({
      ...segment,
      source: blob.blobId,
      version,
      find,
      check: content.check,
      reportDamage: content.reportDamage
    })
  })
})
