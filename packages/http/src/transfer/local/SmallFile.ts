/**
 * Whole small files, or small pieces of files, in the least CPU time.
 *
 * For a file in the page cache, opening, reading and closing take 7 µs when called synchronously and 40 to 60 µs over
 * libuv's thread pool, which is more than all the rest of a bare HTTP request. So reads are synchronous, until one
 * takes so long that it must have waited for a device: then the thread pool does them for a multiple of that time. So
 * a disk, however slow, holds up the event loop for a small share of the time only.
 */
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import type { ServerResponse } from "node:http"
import * as BufferPool from "./BufferPool.ts"
import * as LocalFile from "./LocalFile.ts"

/** The largest piece to be read by this module, in bytes. */
export const maxLength = 64 * 1024

/** Fills the buffer from `offset` on: all of it, or a failure. */
export type Read = (path: string, offset: number, into: Buffer) => Effect.Effect<void, LocalFile.LocalFileError>

const readNow = (path: string, offset: number, into: Buffer): boolean => {
  const fd = Fs.openSync(path, Fs.constants.O_RDONLY)
  try {
    return Fs.readSync(fd, into, 0, into.length, offset) === into.length
  } finally {
    Fs.closeSync(fd)
  }
}

const readPooled: Read = (path, offset, into) =>
  LocalFile.withFile(path, (fd) =>
    // Not to be cancelled: the descriptor must stay open until the read has returned.
    Effect.uninterruptible(
      Effect.callback<void, LocalFile.LocalFileError>((resume) =>
        Fs.read(fd, into, 0, into.length, offset, (error, count) => {
          if (error !== null) resume(Effect.fail(LocalFile.toBlobError(error)))
          else resume(count === into.length ? Effect.void : Effect.fail(LocalFile.sizeMismatch(path)))
        })
      )
    )
  )

/**
 * A reader with its own memory of how fast its disk is.
 *
 * @param options.patience How long a synchronous read may take, in milliseconds.
 * @param options.respite For how many times as long the thread pool then reads instead.
 */
export const makeReader = (options: { readonly patience: number; readonly respite: number }): Read => {
  let pooledUntil = 0
  return (path, offset, into) =>
    Effect.suspend(() => {
      const begin = performance.now()
      if (begin < pooledUntil) return readPooled(path, offset, into)
      try {
        return readNow(path, offset, into) ? Effect.void : Effect.fail(LocalFile.sizeMismatch(path))
      } catch (cause) {
        return Effect.fail(LocalFile.toOpenError(cause))
      } finally {
        const end = performance.now()
        if (end - begin > options.patience) pooledUntil = end + (end - begin) * options.respite
      }
    })
}

const read = makeReader({ patience: 2, respite: 20 })

/**
 * Up to here the bytes are handed over as a text of one byte a character: Node then writes head and body as one piece and
 * at once, which takes 10 µs less than a head and a buffer that it has to keep until they are gone.
 */
const textLength = 8 * 1024
const buffers = BufferPool.make({ size: maxLength, spare: 64 })

/**
 * Sends a piece of a file as the whole body of a response. The head is written once the bytes are there; on failure
 * nothing is sent.
 *
 * @param length At most `maxLength`.
 */
export const send = (
  response: ServerResponse,
  path: string,
  { length, offset }: ByteRange,
  writeHead: () => void
): Effect.Effect<void, LocalFile.LocalFileError> =>
  Effect.suspend(() => {
    const whole = buffers.acquire()
    const bytes = whole.subarray(0, length)
    return Effect.map(read(path, offset, bytes), (): void => {
      writeHead()
      if (length <= textLength) {
        response.end(bytes.toString("latin1"), "latin1")
        return buffers.release(whole)
      }
      // Not when the response has finished: HTTP/2 says so of one that was reset, whose bytes may be on their way yet.
      response.write(bytes, (error) => {
        if (!error) buffers.release(whole)
      })
      response.end()
    })
  })
