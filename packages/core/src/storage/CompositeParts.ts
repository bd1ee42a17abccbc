/**
 * Finds the part blobs that have the bytes of a range of a composite content. The parts of a content never change, so that they are
 * looked up once and kept for the next reads.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { BlobError } from "./BlobError.ts"
import type { MetadataError } from "../MetadataError.ts"
import * as BlobKey from "./BlobKey.ts"
import { BlobRepository, type ContentPart } from "./BlobRepository.ts"
import type { BlobStore, ByteRange } from "./BlobStore.ts"

/** A range of a part blob. */
export interface PartRange extends BlobKey.Parts {
  /** Bytes of the whole part. */
  readonly size: number
  /** The range within the part. */
  readonly range: ByteRange
  /** As in `UploadPart`. */
  readonly tag: string | null
}

/** Returns the ranges of part blobs that together are a range of a content, in order. An empty range has none. */
export type FindParts = (content: BlobKey.Parts, range: ByteRange) => Stream.Stream<PartRange, BlobError>

/** Parts that one statement reads. */
const windowSize = 256

/** Windows in memory: some 7 MiB. */
const maxWindows = 256

/** Consecutive parts of one content. */
type Window = ReadonlyArray<ContentPart>

const endOf = ({ size, start }: ContentPart): number => start + size

const has = (window: Window, offset: number): boolean => {
  const [first] = window
  const last = window.at(-1)
  return first !== undefined && last !== undefined && first.start <= offset && offset < endOf(last)
}

/** Returns the index of the part that has the byte, by binary search. */
const indexAt = (window: Window, offset: number): number => {
  let low = 0
  let high = window.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((window[middle]?.start ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

const toBlobError = (reason: "Damaged" | "Internal" | "Unavailable", cause?: unknown) =>
  new BlobError({ reason, operation: "parts", cause })

const fromMetadata = (error: MetadataError) => toBlobError(error.isRetryable ? "Unavailable" : "Internal", error)

/** Lists the parts of a composite content in their order; none of a plain content. */
export const listAll = (repository: BlobRepository["Service"], blobId: string): Stream.Stream<ContentPart, BlobError> =>
  Stream.paginate(0, (offset) =>
    Effect.map(Effect.mapError(repository.listParts({ blobId, offset, limit: windowSize }), fromMetadata), (window) => {
      const last = window.at(-1)
      const next = window.length < windowSize || last === undefined ? Option.none<number>() : Option.some(endOf(last))
      return [window.filter(({ start }) => start >= offset), next] as const
    })
  )

/** Reads all bytes of a composite content, from its parts in their order. Looks the parts up while it reads. */
export const readWhole = (
  store: BlobStore["Service"],
  repository: BlobRepository["Service"],
  { blobId, bucketId, tenantId }: BlobKey.Parts
): Stream.Stream<Uint8Array, BlobError> =>
  Stream.flatMap(listAll(repository, blobId), (part) =>
    store.read(BlobKey.make({ tenantId, bucketId, blobId: part.blobId }), { size: part.size, isTransient: true })
  )

export const make: Effect.Effect<FindParts, never, BlobRepository> = Effect.map(BlobRepository, (repository) => {
  /** The windows by content; the content that was read last is the last one. */
  const kept = new Map<string, Array<Window>>()
  let windows = 0

  const keep = (blobId: string, window: Window): void => {
    const own = kept.get(blobId) ?? []
    kept.delete(blobId)
    kept.set(blobId, [...own, window])
    windows++
    for (const [oldest, its] of kept) {
      if (windows <= maxWindows) break
      kept.delete(oldest)
      windows -= its.length
    }
  }

  const load = (blobId: string, offset: number): Effect.Effect<Window, BlobError> =>
    repository.listParts({ blobId, offset, limit: windowSize }).pipe(
      Effect.mapError(fromMetadata),
      Effect.flatMap((window) => {
        if (!has(window, offset)) return Effect.fail(toBlobError("Damaged"))
        keep(blobId, window)
        return Effect.succeed(window)
      })
    )

  const find = (blobId: string, offset: number): Effect.Effect<Window, BlobError> =>
    Effect.suspend(() => {
      const window = kept.get(blobId)?.find((one) => has(one, offset))
      return window === undefined ? load(blobId, offset) : Effect.succeed(window)
    })

  return ({ blobId, bucketId, tenantId }, { length, offset }) => {
    const end = offset + length
    const next = Effect.fnUntraced(function* (from: number) {
      const window = yield* find(blobId, from)
      const ranges: Array<PartRange> = []
      let position = from
      for (let index = indexAt(window, from); index < window.length && position < end; index++) {
        const part = window[index]
        if (part === undefined) break
        if (part.start > position) return yield* toBlobError("Damaged")
        const until = Math.min(end, endOf(part))
        const range = { offset: position - part.start, length: until - position }
        ranges.push({ tenantId, bucketId, blobId: part.blobId, size: part.size, tag: part.tag, range })
        position = until
      }
      return [ranges, position < end ? Option.some(position) : Option.none<number>()] as const
    })
    return length <= 0 ? Stream.empty : Stream.paginate(offset, next)
  }
})
