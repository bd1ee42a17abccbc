/**
 * A stored content as a source of the packager.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ContentDamaged } from "../files/FileErrors.ts"
import type { StoredContent } from "../files/StoredContent.ts"
import type { RecentlyUsed } from "./internal/RecentlyUsed.ts"
import type { BlobError } from "../storage/BlobError.ts"
import type { ByteRange } from "../storage/BlobStore.ts"
import { concat } from "../storage/ByteChunks.ts"
import type { Source } from "./Source.ts"

/** Reads a range of a content as a whole. */
export const readRange = (
  { read, reportDamage }: Pick<StoredContent, "read" | "reportDamage">,
  range: ByteRange,
  into?: Uint8Array
): Effect.Effect<Uint8Array, BlobError | ContentDamaged> =>
  Effect.suspend(() => {
    const memory = into ?? new Uint8Array(range.length)
    let bytes = memory
    let at = 0
    const collect = Stream.runForEach(read(range, { into: memory }), (chunk) =>
      Effect.sync(() => {
        if (at === 0 && chunk.length === range.length) bytes = chunk
        // A store that has read into the memory returns parts of it.
        else if (chunk.buffer !== memory.buffer && at + chunk.length <= memory.length) memory.set(chunk, at)
        at += chunk.length
      })
    )
    const damaged = Effect.suspend(() => Effect.andThen(reportDamage, Effect.fail(new ContentDamaged())))
    return Effect.flatMap(collect, () => (at === range.length ? Effect.succeed(bytes) : damaged))
  })

type ContentSource = Source<BlobError | ContentDamaged>

/** Opens a content of `size` bytes as a source, until the scope closes. */
export const open = (
  content: Pick<StoredContent, "open" | "read" | "reportDamage">,
  size: number
): Effect.Effect<ContentSource, BlobError | ContentDamaged, Scope.Scope> =>
  content.open === undefined
    ? Effect.succeed(make(content, size))
    : Effect.map(content.open, ({ readInto }) => ({
        size,
        readRange: ({ length, offset }, into = new Uint8Array(length)) => Effect.as(readInto(offset, into), into)
      }))

/** Makes the source of a content of `size` bytes. */
export const make = (content: Pick<StoredContent, "open" | "read" | "reportDamage">, size: number): ContentSource => ({
  size,
  readRange: (range, into) => readRange(content, range, into),
  open: content.open && open(content, size)
})

/** Makes the source of a small content of `size` bytes, which the first read keeps in memory as a whole. */
export const makeKept = (content: Pick<StoredContent, "read" | "reportDamage">, size: number): ContentSource => {
  let kept: Uint8Array | undefined
  const whole = Effect.suspend(() =>
    kept === undefined
      ? Effect.map(readRange(content, { offset: 0, length: size }), (bytes) => (kept = bytes))
      : Effect.succeed(kept)
  )
  return {
    size,
    readRange: ({ length, offset }) => Effect.map(whole, (bytes) => bytes.subarray(offset, offset + length))
  }
}

/** Bytes of a page: of an index of a packaged video, the samples of several minutes. */
const pageBytes = 64 * 1024

/** Where pages are kept. The key is that of the content. */
export interface Paging {
  readonly key: string
  readonly pages: RecentlyUsed<Uint8Array>
}

/** Makes the source of a content of `size` bytes of which small ranges are read: it reads pages. A range beyond its end is a damage. */
export const makePaged = (
  content: Pick<StoredContent, "read" | "reportDamage">,
  size: number,
  { key, pages }: Paging
): ContentSource => {
  const readPage = (page: number): Effect.Effect<Uint8Array, BlobError | ContentDamaged> => {
    const offset = page * pageBytes
    return pages.get(`${key} ${page}`, readRange(content, { offset, length: Math.min(pageBytes, size - offset) }))
  }
  return {
    size,
    readRange: ({ length, offset }) => {
      if (offset + length > size) return Effect.andThen(content.reportDamage, Effect.fail(new ContentDamaged()))
      const first = Math.floor(offset / pageBytes)
      const last = Math.floor((offset + Math.max(length, 1) - 1) / pageBytes)
      const from = offset - first * pageBytes
      if (first === last) return Effect.map(readPage(first), (page) => page.subarray(from, from + length))
      const all = Effect.forEach(
        Array.from({ length: last - first + 1 }, (_, index) => first + index),
        readPage
      )
      return Effect.map(all, (found) => concat(found).subarray(from, from + length))
    }
  }
}
