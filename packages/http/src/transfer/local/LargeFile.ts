/**
 * Moves pieces of an open file to a Node response through two buffers that are used again and again: while one is
 * written to the socket the next is read from the disk. Nothing is allocated per chunk, which is what costs
 * `createReadStream().pipe()` most of its time.
 *
 * A buffer is filled again only after the socket has taken its bytes (the write's callback), so a slow client slows the
 * reads, and memory stays at two buffers a response.
 */
import type { BlobError } from "@holdfast/core/storage/BlobError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { ClientAbort } from "effect/http/HttpServerError"
import * as Fs from "node:fs"
import type { ServerResponse } from "node:http"
import * as BufferPool from "./BufferPool.ts"
import * as LocalFile from "./LocalFile.ts"

/** Bytes to be sent: from the file, or as they are. */
export type BodySlice = { readonly offset: number; readonly length: number } | Uint8Array

/** Bytes. From here on larger ones save little, and every slow client holds two. */
const bufferSize = 256 * 1024
const buffersPerResponse = 2
const buffers = BufferPool.make({ size: bufferSize, spare: 16 })

const isBytes = (piece: BodySlice): piece is Uint8Array => piece instanceof Uint8Array

/** The next piece that needs the file; bytes on the way to it are written, empty pieces passed over. */
const advance = (response: ServerResponse, pieces: Iterator<BodySlice>): Exclude<BodySlice, Uint8Array> | undefined => {
  for (;;) {
    const { done, value: piece } = pieces.next()
    if (done) return undefined
    if (!isBytes(piece)) {
      if (piece.length > 0) return piece
    } else if (piece.length > 0) response.write(piece)
  }
}

/** How a transfer ended: all is sent, the client went away, it was stopped, or the file could not be read. */
type End = "sent" | "aborted" | "stopped" | { readonly failure: BlobError }

interface Transfer {
  /** Breaks the response off. */
  readonly stop: () => void
}

/** `ended` is called once, when no read is under way any more, so that the descriptor may be closed. */
const start = (
  response: ServerResponse,
  file: { readonly fd: number; readonly path: string },
  pieces: ReadonlyArray<BodySlice>,
  ended: (end: End) => void
): Transfer => {
  const free: Array<Buffer<ArrayBuffer>> = []
  let taken = 0
  const queue = pieces[Symbol.iterator]()
  let piece = advance(response, queue)
  let done = 0
  let reading = false
  let end: End | undefined

  const take = (): Buffer<ArrayBuffer> | undefined => (taken++ < buffersPerResponse ? buffers.acquire() : undefined)

  const settle = (how: End): void => {
    if (end !== undefined) return
    end = how
    response.off("close", onClose)
    if (how !== "sent") response.destroy()
    // All writes have succeeded. Those of a response that was broken off may be under way yet.
    else for (const buffer of free) buffers.release(buffer)
    if (!reading) ended(how)
  }

  const onClose = (): void => settle("aborted")

  const written = (buffer: Buffer<ArrayBuffer>, error: Error | null | undefined): void => {
    if (error) return settle("aborted")
    free.push(buffer)
    next()
  }

  const next = (): void => {
    if (reading || end !== undefined) return
    if (piece === undefined) {
      if (!response.writableEnded) response.end(() => settle("sent"))
      return
    }
    const buffer = free.pop() ?? take()
    if (buffer === undefined) return
    const { length, offset } = piece
    reading = true
    Fs.read(file.fd, buffer, 0, Math.min(bufferSize, length - done), offset + done, (error, count) => {
      reading = false
      if (end !== undefined) return ended(end)
      if (error) return settle({ failure: LocalFile.toBlobError(error) })
      if (count === 0) return settle({ failure: LocalFile.sizeMismatch(file.path) })
      done += count
      response.write(count === bufferSize ? buffer : buffer.subarray(0, count), (error) => written(buffer, error))
      if (done === length) {
        piece = advance(response, queue)
        done = 0
      }
      next()
    })
  }

  response.on("close", onClose)
  if (response.destroyed) settle("aborted")
  else next()
  return { stop: () => settle("stopped") }
}

const clientAbort = Effect.failCause(Cause.annotate(Cause.interrupt(), ClientAbort.annotation))

const toEffect = (end: End): Effect.Effect<void, BlobError> =>
  typeof end === "object" ? Effect.fail(end.failure) : end === "aborted" ? clientAbort : Effect.void

/**
 * Sends the pieces, in order, and ends the response; its head must be written already, with the right
 * `Content-Length`. Succeeds when the last byte is with the operating system.
 *
 * The response never ends short as if it were complete: when the file cannot be read to its end it is destroyed, and
 * this fails; when the client goes away, or the fiber is interrupted, it is destroyed and this is interrupted. In every
 * case the descriptor is no longer used when this has ended. Closing it is the caller's.
 */
export const send = (
  response: ServerResponse,
  file: { readonly fd: number; readonly path: string },
  pieces: ReadonlyArray<BodySlice>
): Effect.Effect<void, BlobError> =>
  Effect.interruptible(
    Effect.callback<void, BlobError>((resume) => {
      let over = false
      let onOver = (): void => undefined
      const transfer = start(response, file, pieces, (end) => {
        over = true
        onOver()
        resume(toEffect(end))
      })
      return Effect.callback<void>((resume) => {
        transfer.stop()
        if (over) resume(Effect.void)
        else onOver = () => resume(Effect.void)
      })
    })
  )
