/**
 * One content on its way to the disk: hashed, counted and written, without holding more than two batches of it.
 */
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import type * as FsCall from "./FsCall.ts"
import * as Writer from "./Writer.ts"

export interface Upload {
  /** Takes the next chunks, which must not change any more; waits when the disk is a whole batch behind. */
  readonly accept: (chunks: ReadonlyArray<Uint8Array>) => Effect.Effect<void, FsCall.ErrnoError>
  /** The content has ended: makes the file durable, under its temporary name still. */
  readonly finish: Effect.Effect<BlobReceipt, FsCall.ErrnoError>
  /** Leaves nothing behind. */
  readonly discard: Effect.Effect<void>
}

/** What goes to the disk in one call. Larger ones save nothing more, and a batch and its successor are held. */
const batchBytes = 256 * 1024

/** As many as one `writev` takes on Linux. */
const batchChunks = 1024

/** No chunk larger than a batch, so that hashing one does not keep the event loop for long. */
const pieces = (chunk: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(chunk.byteLength / batchBytes) }, (_, index) =>
    chunk.subarray(index * batchBytes, (index + 1) * batchBytes)
  )

const cut = (chunks: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> =>
  chunks.some((chunk) => chunk.byteLength > batchBytes) ? chunks.flatMap(pieces) : chunks

/** `path`: where the content is put together; must not exist. */
export const make = (path: string): Upload => {
  const writer = Writer.make(path)
  const hash = createHash("sha256")
  let size = 0
  let batch: Array<Uint8Array> = []
  let bytes = 0

  const flush = (last: boolean): void => {
    writer.begin(batch, bytes, last)
    batch = []
    bytes = 0
  }

  /** Takes chunks from `index` on until the batch is full; where to go on, or -1. */
  const fill = (chunks: ReadonlyArray<Uint8Array>, index: number): number => {
    for (let i = index; i < chunks.length; i++) {
      const chunk = chunks[i]!
      if (chunk.byteLength === 0) continue
      hash.update(chunk)
      batch.push(chunk)
      bytes += chunk.byteLength
      size += chunk.byteLength
      if (bytes >= batchBytes || batch.length >= batchChunks) return i + 1
    }
    return -1
  }

  const acceptFrom = (chunks: ReadonlyArray<Uint8Array>, index: number): Effect.Effect<void, FsCall.ErrnoError> =>
    Effect.suspend(() => {
      const next = fill(chunks, index)
      if (next < 0) return Effect.void
      return Effect.flatMap(writer.idle, () => {
        flush(false)
        return next < chunks.length ? acceptFrom(chunks, next) : Effect.void
      })
    })

  const finish = Effect.gen(function* () {
    yield* writer.idle
    flush(true)
    yield* writer.idle
    return { size, sha256: hash.digest("hex") }
  })

  return { accept: (chunks) => acceptFrom(cut(chunks), 0), finish, discard: writer.discard }
}
