/**
 * Opens segments that are made when they are read. Those that are requested repeatedly are kept in memory.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ContentDamaged } from "../../files/FileErrors.ts"
import * as Ids from "../../Ids.ts"
import type { ReadOptions } from "../../packaging/FragmentedMp4.ts"
import type { PackagingError } from "../../packaging/PackagingError.ts"
import type { BlobError } from "../../storage/BlobError.ts"
import type { ByteRange } from "../../storage/BlobStore.ts"
import * as StreamFiles from "../../transcoding/StreamFiles.ts"
import type { OpenedSegment } from "../OpenedStream.ts"
import * as KeptSegments from "./KeptSegments.ts"

type ReadError = BlobError | ContentDamaged

/** A segment that can be made. */
export interface Made {
  /** Bytes. */
  readonly size: number
  /** Returns the bytes. */
  readonly cut: (options: ReadOptions) => Stream.Stream<Uint8Array, ReadError>
}

/** A segment that is requested. */
export interface Wanted extends Pick<
  OpenedSegment,
  "check" | "conversionId" | "fileId" | "name" | "reportDamage" | "state"
> {
  /** The blob that says how the segments are made. Its bytes never change. */
  readonly source: string
  /** Changes when other bytes are made from the same blobs. */
  readonly version: number
  /** Finds how the segment is made; undefined if there is none of this name. */
  readonly find: Effect.Effect<Made | undefined, ReadError>
}

/** Opens a segment; undefined if there is none of this name. */
export type Open = (wanted: Wanted) => Effect.Effect<OpenedSegment | undefined, ReadError>

/** Reports a damage and fails. An error takes the trace of the stack when it is made, some 50 µs: it is made where there is a damage alone. */
const failAsDamaged = (reportDamage: Effect.Effect<void>): Effect.Effect<never, ContentDamaged> =>
  Effect.andThen(
    reportDamage,
    Effect.suspend(() => Effect.fail(new ContentDamaged()))
  )

/** Fails with a damage, which is reported, where what a segment is made of is missing or has another structure than its record says. */
export const orDamaged =
  (reportDamage: Effect.Effect<void>) =>
  <A>(self: Effect.Effect<A, ReadError | PackagingError>): Effect.Effect<A, ReadError> =>
    Effect.catch(self, (error) =>
      error._tag === "PackagingError" || (error._tag === "BlobError" && error.reason === "NotFound")
        ? failAsDamaged(reportDamage)
        : Effect.fail(error)
    )

/** The same for the bytes of a segment, but for what is missing. */
const cutOrDamaged = (
  chunks: Stream.Stream<Uint8Array, ReadError | PackagingError>,
  reportDamage: Effect.Effect<void>
): Stream.Stream<Uint8Array, ReadError> =>
  Stream.catchTag(chunks, "PackagingError", () => Stream.fromEffect(failAsDamaged(reportDamage)))

/** Returns what is made of what was planned. */
export const ofPlanned = (
  {
    cut,
    size
  }: {
    readonly size: number
    readonly cut: (options: ReadOptions) => Stream.Stream<Uint8Array, ReadError | PackagingError>
  },
  reportDamage: Effect.Effect<void>
): Made => ({ size, cut: (options) => cutOrDamaged(cut(options), reportDamage) })

/**
 * Takes the bytes of a range from those of a segment, which may end behind the range. Reads until they end: a stream that is stopped before
 * gives up its memory.
 */
const slice = <E>(
  chunks: Stream.Stream<Uint8Array, E>,
  { length, offset }: ByteRange
): Stream.Stream<Uint8Array, E> => {
  const end = offset + length
  return chunks.pipe(
    Stream.mapAccum(
      () => 0,
      (at, chunk) => [at + chunk.length, [{ at, chunk }]] as const
    ),
    Stream.map(({ at, chunk }) => chunk.subarray(Math.max(0, offset - at), Math.max(0, end - at))),
    Stream.filter((chunk) => chunk.length > 0)
  )
}

/** Makes what opens segments, with memory for those that are kept. */
export const make = (): Open => {
  const kept = KeptSegments.make<ReadError>()
  return Effect.fnUntraced(function* ({ check, find, reportDamage, source, version, ...segment }: Wanted) {
    const key = `${source} ${segment.name}`
    const found = kept.sizeOf(key) === undefined ? yield* find : undefined
    const size = kept.sizeOf(key) ?? found?.size
    if (size === undefined) return undefined
    const cutFrom = (options: ReadOptions): Stream.Stream<Uint8Array, ReadError> => {
      if (found !== undefined) return found.cut(options)
      // The segment was kept when it was opened, and is not any more.
      return Stream.unwrap(Effect.map(find, (one) => one?.cut(options) ?? Stream.fail(new ContentDamaged())))
    }
    const isKept = yield* Effect.catchTag(
      kept.request(key, size, () => cutFrom({ isTransient: true })),
      "BlobError",
      // The read that follows fails likewise. Its caller distinguishes a content that was removed meanwhile from a broken store.
      () => Effect.succeed(false)
    )
    const cut = (isTransient: boolean, range: ByteRange = { offset: 0, length: size }) => {
      const other = (rest: ByteRange) => {
        const chunks = cutFrom({ isTransient, end: rest.offset + rest.length })
        return rest.length === size ? chunks : slice(chunks, rest)
      }
      if (!isKept) return other(range)
      const chunks = kept.read(key, range, other)
      return isTransient ? chunks : Stream.map(chunks, (chunk) => chunk.slice())
    }
    const opened: OpenedSegment = {
      _tag: "Segment",
      ...segment,
      contentType: StreamFiles.contentType(segment.name),
      size,
      etag: `"${source}-${version}-${segment.name}"`,
      storedAt: DateTime.makeUnsafe(Ids.createdAt(source)),
      read: (range) => cut(false, range),
      readTransient: (range) => cut(true, range),
      localFile: undefined,
      check,
      reportDamage
    }
    return opened
  })
}
