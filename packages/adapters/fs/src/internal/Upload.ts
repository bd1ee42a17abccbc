/**
 * Writes one content to the disk: hashes it, counts its bytes and writes it in batches. At most two batches are in memory.
 */
import type { BlobReceipt } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import { createHash, hash as hashAtOnce } from "node:crypto"
import type * as FsCall from "./FsCall.ts"
import * as Writer from "./Writer.ts"

export interface Upload {
  /** Accepts the next chunks, which must not change any more. Waits while the previous batch is being written. */
  readonly accept: (chunks: ReadonlyArray<Uint8Array>) => Effect.Effect<void, FsCall.ErrnoError>
  /** Writes the rest and makes the file durable, still under its temporary name. Call it after the last chunk. */
  readonly finish: Effect.Effect<BlobReceipt, FsCall.ErrnoError>
  /** Removes the file. */
  readonly discard: Effect.Effect<void>
}

/** The bytes of one write. Larger batches are not faster, and two batches are in memory at a time. */
const batchBytes = 256 * 1024

/** While the batches that are collected for all uploads have more bytes, batches are small: clients that send slowly occupy them for long. */
const maxCollected = 32 * 1024 * 1024
const smallBatchBytes = 32 * 1024

let collected = 0

/** The most bytes of an upload that are in memory: one batch is being written, the next one is collected. */
export const bufferBytes = 2 * batchBytes

/** The most chunks that one `writev` accepts on Linux (IOV_MAX). */
const batchChunks = 1024

const split = (chunk: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(chunk.byteLength / batchBytes) }, (_, index) =>
    chunk.subarray(index * batchBytes, (index + 1) * batchBytes)
  )

/** Splits chunks that are larger than a batch, so that hashing one chunk does not block the event loop for long. */
const splitLarge = (chunks: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> =>
  chunks.some((chunk) => chunk.byteLength > batchBytes) ? chunks.flatMap(split) : chunks

/** Starts an upload to a temporary file. */
export const make = (file: Writer.NewFile): Upload => {
  const writer = Writer.make(file)
  const hash = createHash("sha256")
  let size = 0
  let batch: Array<Uint8Array> = []
  let bytes = 0

  const forget = (): void => {
    collected -= bytes
    batch = []
    bytes = 0
  }

  const flush = (last: boolean): void => {
    writer.begin(batch, bytes, last)
    forget()
  }

  /** Adds chunks from `index` on until the batch is full. Returns the next index; -1 when the batch is not full. */
  const fill = (chunks: ReadonlyArray<Uint8Array>, index: number): number => {
    for (let i = index; i < chunks.length; i++) {
      const chunk = chunks[i]!
      if (chunk.byteLength === 0) continue
      hash.update(chunk)
      batch.push(chunk)
      bytes += chunk.byteLength
      collected += chunk.byteLength
      size += chunk.byteLength
      if (bytes >= (collected > maxCollected ? smallBatchBytes : batchBytes) || batch.length >= batchChunks)
        return i + 1
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

  const finish = writer.idle.pipe(
    Effect.andThen(
      Effect.suspend(() => {
        flush(true)
        return writer.idle
      })
    ),
    Effect.map(() => ({ size, sha256: hash.digest("hex") }))
  )

  const discard = Effect.andThen(Effect.sync(forget), writer.discard)
  return { accept: (chunks) => acceptFrom(splitLarge(chunks), 0), finish, discard }
}

/**
 * Starts an upload whose bytes are all known. It writes them in `finish`, with one call where they are few.
 */
export const ofBytes = (file: Writer.NewFile, bytes: Uint8Array): Upload => {
  if (bytes.byteLength > batchBytes) return make(file)
  const writer = Writer.make(file)
  const finish = Effect.suspend(() => {
    const receipt = { size: bytes.byteLength, sha256: hashAtOnce("sha256", bytes, "hex") }
    writer.begin([bytes], receipt.size, true)
    return Effect.as(writer.idle, receipt)
  })
  return { accept: () => Effect.void, finish, discard: writer.discard }
}
