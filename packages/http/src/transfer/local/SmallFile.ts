/**
 * Sends small files, and small ranges of files, with as little CPU time as possible.
 *
 * For a file in the page cache, opening, reading and closing take 7 µs when called synchronously and 40 to 60 µs over libuv's
 * thread pool. The latter is more than everything else that a bare HTTP request costs. Therefore reads are synchronous until
 * one takes so long that it must have waited for a device. Then the thread pool does the reads for a multiple of that time.
 * So even a slow disk blocks the event loop for a small share of the time only.
 */
import { ContentDamaged } from "@holdfast/core/files/FileErrors"
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import * as File from "@holdfast/core/files/File"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import type { ServerResponse } from "node:http"
import * as BufferPool from "./BufferPool.ts"
import * as CheckBudget from "./CheckBudget.ts"
import * as LocalFile from "./LocalFile.ts"
import * as SmallContents from "./SmallContents.ts"

/** The largest range that this module reads, in bytes. */
export const maxLength = 64 * 1024

/** A local file that holds exactly one blob. */
export interface SmallFile {
  readonly path: string
  /** Bytes of the whole file, from its record. */
  readonly size: number
}

/** Fills the whole buffer with the file's bytes from `offset` on. Fails with `ContentDamaged` when the file has another size. */
export type Read = (file: SmallFile, offset: number, into: Buffer) => Effect.Effect<void, LocalFile.LocalFileError>

/** Returns whether the file has the size. `fstat` needs no disk. */
const hasSize = (fd: number, size: number): boolean => Fs.fstatSync(fd).size === size

const readSync = ({ path, size }: SmallFile, offset: number, into: Buffer): boolean => {
  const fd = Fs.openSync(path, Fs.constants.O_RDONLY)
  try {
    return hasSize(fd, size) && Fs.readSync(fd, into, 0, into.length, offset) === into.length
  } finally {
    Fs.closeSync(fd)
  }
}

const damaged = Effect.suspend(() => Effect.fail(new ContentDamaged()))

const readPooled: Read = ({ path, size }, offset, into) =>
  LocalFile.withFile(path, (fd) =>
    // Uninterruptible: the descriptor must stay open until the read has returned.
    Effect.uninterruptible(
      Effect.callback<void, LocalFile.LocalFileError>((resume) => {
        if (!hasSize(fd, size)) return resume(damaged)
        Fs.read(fd, into, 0, into.length, offset, (error, count) => {
          if (error !== null) resume(Effect.fail(LocalFile.toBlobError(error)))
          else resume(count === into.length ? Effect.void : damaged)
        })
      })
    )
  )

/**
 * A reader that measures the speed of its disk.
 *
 * @param options.maxSyncMillis The reader leaves synchronous mode when a synchronous read takes longer than this.
 * @param options.pooledFactor The reader then uses the thread pool for this many times the duration of that read.
 */
export const makeReader = (options: { readonly maxSyncMillis: number; readonly pooledFactor: number }): Read => {
  let pooledUntil = 0
  return (file, offset, into) =>
    Effect.suspend(() => {
      const begin = performance.now()
      if (begin < pooledUntil) return readPooled(file, offset, into)
      try {
        return readSync(file, offset, into) ? Effect.void : damaged
      } catch (cause) {
        return Effect.fail(LocalFile.toOpenError(cause))
      } finally {
        const end = performance.now()
        if (end - begin > options.maxSyncMillis) pooledUntil = end + (end - begin) * options.pooledFactor
      }
    })
}

const read = makeReader({ maxSyncMillis: 2, pooledFactor: 20 })

/**
 * Up to this length, in bytes, the body is passed to Node as a Latin-1 string. Node then writes head and body together and
 * at once, which takes 10 µs less than writing a head and a buffer, which Node must keep until it is sent.
 */
const maxStringLength = 8 * 1024
const pool = BufferPool.make({ size: maxLength, spare: 64 })
const contents = SmallContents.make({ maxBytes: 8 * 1024 * 1024, maxOffered: 4096 })

const isDigestOf = (etag: string, bytes: Uint8Array): boolean =>
  File.etagOf(createHash("sha256").update(bytes).digest("hex")) === etag

/** The length of an entity tag that is a SHA-256 with its quotes. */
const digestTagLength = 66

/**
 * SHA-256 takes 2 µs for 1 KiB and 21 µs for 8 KiB where a view takes some 100 µs; for all reads it would cost up to a fifth. So whole
 * contents are compared as long as that takes 1 % of the time: under low load all of them, under high load some.
 */
const budget = CheckBudget.make({ share: 0.01, maxMillis: 20 })

/** Whether the bytes are known to be damaged. Ranges are not compared: their digest is not in the record. */
const isDamaged = (etag: string, bytes: Uint8Array, size: number): boolean =>
  bytes.length === size && etag.length === digestTagLength && budget.check(() => isDigestOf(etag, bytes)) === false

/** Whether the bytes of a file are in memory, so that `send` does not read it. */
export const isKept = ({ path, size }: SmallFile): boolean =>
  size <= maxStringLength && contents.find(path) !== undefined

/**
 * Sends a range of a file as the whole body of a response. `writeHead` is called once the bytes have been read: on failure,
 * nothing is sent.
 *
 * @param file Its `etag` is the content's entity tag. Only if that is the digest of the bytes, they may be kept in memory.
 * @param range Of `maxLength` bytes at most.
 */
export const send = (
  response: ServerResponse,
  { etag, path, size }: SmallFile & { readonly etag: string },
  { length, offset }: ByteRange,
  writeHead: () => void
): Effect.Effect<void, LocalFile.LocalFileError> =>
  Effect.suspend(() => {
    const kept = size <= maxStringLength ? contents.find(path) : undefined
    if (kept !== undefined) {
      writeHead()
      response.end(length === size ? kept : kept.slice(offset, offset + length), "latin1")
      return Effect.void
    }
    const buffer = pool.acquire()
    const bytes = buffer.subarray(0, length)
    return Effect.flatMap(read({ path, size }, offset, bytes), (): typeof damaged | Effect.Effect<void> => {
      if (isDamaged(etag, bytes, size)) {
        pool.release(buffer)
        return damaged
      }
      writeHead()
      if (length <= maxStringLength) {
        const text = bytes.toString("latin1")
        if (length === size) contents.offer(path, text, () => isDigestOf(etag, bytes))
        response.end(text, "latin1")
        pool.release(buffer)
        return Effect.void
      }
      // Released by the write's callback, not by the response's `finish`: HTTP/2 emits `finish` for a stream that was reset
      // too, while its bytes may still be in use.
      response.write(bytes, (error) => {
        if (!error) pool.release(buffer)
      })
      response.end()
      return Effect.void
    })
  })
