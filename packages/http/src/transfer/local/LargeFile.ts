/**
 * Sends slices of an open file to a Node response through two buffers at a time: while one is written to the socket, the next
 * slice is read into the other. Buffers are reused. No memory is allocated per chunk; that allocation is what takes most of the time of
 * `createReadStream().pipe()`.
 *
 * The next buffer is filled only after the socket has taken the bytes of an earlier one (the callback of the write). So a slow
 * client slows the reads down, and each response needs no more memory than its two buffers.
 */
import { ContentDamaged } from "@holdfast/core/files/FileErrors"
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { ByteRange } from "@holdfast/core/storage/BlobStore"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { ClientAbort } from "effect/http/HttpServerError"
import * as Fs from "node:fs"
import type { ServerResponse } from "node:http"
import * as Aborts from "../../incoming/Aborts.ts"
import { type BodySlice, isLiteral } from "../BodySlice.ts"
import * as ChunkBuffers from "./ChunkBuffers.ts"
import * as LocalFile from "./LocalFile.ts"
import * as ReadSlots from "./ReadSlots.ts"

const buffersPerResponse = 2
/** A client is slow while the socket takes longer than this for the bytes of one buffer, and for each 256 KiB of them; in milliseconds. */
const slowWrite = 100
const slowWriteBytes = 256 * 1024

const isSlowWrite = (bytes: number, millis: number): boolean => millis > slowWrite * Math.max(1, bytes / slowWriteBytes)

const startRead = ReadSlots.make(8)

/** Advances to the next non-empty range of the file, and writes the literal slices before it. */
const nextRange = (response: ServerResponse, slices: Iterator<BodySlice>): ByteRange | undefined => {
  for (;;) {
    const { done, value: slice } = slices.next()
    if (done) return undefined
    if (!isLiteral(slice)) {
      if (slice.length > 0) return slice
    } else if (slice.length > 0) response.write(slice)
  }
}

/** All bytes were sent, the client disconnected, the transfer was stopped, or the file could not be read. */
type Outcome = "sent" | "aborted" | "stopped" | { readonly failure: BlobError | ContentDamaged }

interface Transfer {
  /** Breaks the response. */
  readonly stop: () => void
}

/** Starts a transfer. Calls `onEnd` once, when no read is in progress any more, so that the descriptor may be closed. */
const start = (
  response: ServerResponse,
  fd: number,
  slices: ReadonlyArray<BodySlice>,
  isLast: boolean,
  onEnd: (outcome: Outcome) => void
): Transfer => {
  /** The buffers that are read into, or being written. */
  const used = new Set<Buffer<ArrayBuffer>>()
  let isSlow = false
  const queue = slices[Symbol.iterator]()
  let range = nextRange(response, queue)
  /** The bytes of `range` that have been read. */
  let done = 0
  let isReading = false
  let outcome: Outcome | undefined

  const finish = (how: Outcome): void => {
    if (outcome !== undefined) return
    outcome = how
    response.off("close", onClose)
    if (how !== "sent") response.destroy()
    // Not released: the writes of a broken response may still be in progress.
    for (const buffer of used) ChunkBuffers.drop(buffer)
    used.clear()
    if (!isReading) onEnd(how)
  }

  const onClose = (): void => finish("aborted")

  const onWritten = (
    buffer: Buffer<ArrayBuffer>,
    bytes: number,
    since: number,
    error: Error | null | undefined
  ): void => {
    // Not at once: when a thousand connections end together, all their writes fail in one turn of the event loop.
    if (error) return Aborts.ofProcess.enqueue(() => finish("aborted"))
    if (!used.delete(buffer)) return
    ChunkBuffers.release(buffer)
    isSlow = isSlowWrite(bytes, performance.now() - since)
    readNext()
  }

  const readNext = (): void => {
    if (isReading || outcome !== undefined) return
    if (range === undefined) {
      if (!isLast) {
        if (used.size === 0) finish("sent")
        return
      }
      if (!response.writableEnded) response.end(() => finish("sent"))
      return
    }
    if (used.size === buffersPerResponse) return
    const { length, offset } = range
    isReading = true
    startRead((release) => {
      if (outcome !== undefined) {
        release()
        return onEnd(outcome)
      }
      const buffer = ChunkBuffers.acquire(length - done, isSlow)
      used.add(buffer)
      Fs.read(fd, buffer, 0, Math.min(buffer.length, length - done), offset + done, (error, count) => {
        release()
        isReading = false
        if (outcome !== undefined) return onEnd(outcome)
        if (error) return finish({ failure: LocalFile.toBlobError(error) })
        if (count === 0) return finish({ failure: new ContentDamaged() })
        done += count
        const since = performance.now()
        response.write(count === buffer.length ? buffer : buffer.subarray(0, count), (error) =>
          onWritten(buffer, count, since, error)
        )
        if (done === length) {
          range = nextRange(response, queue)
          done = 0
        }
        readNext()
      })
    })
  }

  response.on("close", onClose)
  if (response.destroyed) finish("aborted")
  else readNext()
  return { stop: () => finish("stopped") }
}

const clientAbort = Effect.failCause(Cause.annotate(Cause.interrupt(), ClientAbort.annotation))

const toEffect = (outcome: Outcome): Effect.Effect<void, BlobError | ContentDamaged> =>
  typeof outcome === "object" ? Effect.fail(outcome.failure) : outcome === "aborted" ? clientAbort : Effect.void

/**
 * Sends the slices in order and ends the response. The caller has already written the response's head, with the right
 * `Content-Length`. Succeeds when the operating system has taken the last byte.
 *
 * An incomplete response never looks complete: the response is destroyed when the file cannot be read to the end (this
 * effect fails), when the client disconnects, or when the fiber is interrupted (this effect is interrupted). In every case,
 * nothing uses the descriptor after this effect has ended. The caller closes the descriptor.
 *
 * @param options.isLast False when slices of other files follow: the response then stays open. Default: true.
 */
export const send = (
  response: ServerResponse,
  fd: number,
  slices: ReadonlyArray<BodySlice>,
  { isLast = true }: { readonly isLast?: boolean } = {}
): Effect.Effect<void, BlobError | ContentDamaged> =>
  Effect.interruptible(
    Effect.callback<void, BlobError | ContentDamaged>((resume) => {
      let hasEnded = false
      let onEnded = (): void => undefined
      const transfer = start(response, fd, slices, isLast, (outcome) => {
        hasEnded = true
        onEnded()
        resume(toEffect(outcome))
      })
      return Effect.callback<void>((resume) => {
        transfer.stop()
        if (hasEnded) resume(Effect.void)
        else onEnded = () => resume(Effect.void)
      })
    })
  )
