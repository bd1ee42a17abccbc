/**
 * Writes lines to a file descriptor in batches and off the main thread. A slow reader of the log delays no request, and
 * the lines that wait for it take a bounded amount of memory.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"

export interface LineWriter {
  /** Appends a line, which is given without its line break. */
  readonly write: (line: string) => void
}

/** Characters in the batch from which on it is written at once. */
const batchSize = 64 * 1024
/** Milliseconds after which a smaller batch is written. */
const flushInterval = 50
/** Maximum number of characters in the batch while the reader is stalled. Further lines are lost and counted. */
const capacity = 8 * 1024 * 1024
/** Milliseconds until a write to a full pipe is retried. */
const retryDelay = 20

const hasCode = (error: NodeJS.ErrnoException, code: string): boolean => error.code === code

/** Bytes that a pipe takes as a whole (`PIPE_BUF` of Linux). */
const atomicBytes = 4096

export interface Options {
  readonly descriptor: number
  /** Whether other processes write to it, too. Then lines are written so that none is torn, unless it is longer than 4 KiB. */
  readonly isShared: boolean
  /** Returns the line that reports the number of lost lines. */
  readonly formatLost: (count: number) => string
}

/** Makes a writer. Closing the scope waits until the last line is written. */
export const make = (options: Options): Effect.Effect<LineWriter, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => open(options)),
    ({ drain }) => drain
  )

const lineBreak = 10

const countLines = (bytes: Buffer): number => {
  let count = 0
  for (let at = bytes.indexOf(lineBreak); at >= 0; at = bytes.indexOf(lineBreak, at + 1)) count++
  return count
}

/** Returns how many of the next bytes to write at once: whole lines as far as a pipe takes them as a whole. */
const atomicLength = (bytes: Buffer): number => {
  if (bytes.length <= atomicBytes) return bytes.length
  const last = bytes.lastIndexOf(lineBreak, atomicBytes - 1)
  return (last >= 0 ? last : bytes.indexOf(lineBreak)) + 1
}

const open = ({ descriptor, formatLost, isShared }: Options) => {
  let batch: Array<string> = []
  let size = 0
  /** Lines that were lost since the last report of their number. */
  let lost = 0
  /** Whether the last write ended within a line. */
  let isTorn = false
  let timer: NodeJS.Timeout | undefined
  let isWriting = false
  let isBroken = false
  let onDrained: (() => void) | undefined

  /** Calls `done` with the bytes that could not be written. */
  const writeAll = (bytes: Buffer, done: (rest: Buffer) => void): void =>
    Fs.write(descriptor, bytes, 0, isShared ? atomicLength(bytes) : bytes.length, null, (error, count) => {
      if (error === null && count > 0) {
        isTorn = bytes[count - 1] !== lineBreak
        const rest = bytes.subarray(count)
        return rest.length > 0 ? writeAll(rest, done) : done(rest)
      }
      if (error !== null && hasCode(error, "EAGAIN")) return void setTimeout(() => writeAll(bytes, done), retryDelay)
      // The pipe has no reader (EPIPE), or the write failed, for example on a full disk. The service continues: without
      // its log in the first case, without the rest of this batch in the second.
      isBroken = error !== null && hasCode(error, "EPIPE")
      done(bytes)
    })

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (isWriting) return
    if (batch.length === 0 && lost === 0) return onDrained?.()
    const isReportOnly = batch.length === 0
    const reported = lost
    if (reported > 0) batch.push(formatLost(reported))
    lost = 0
    const begin = isTorn ? "\n" : ""
    const bytes = Buffer.from(`${begin}${batch.join("\n")}\n`)
    batch = []
    size = 0
    isWriting = true
    writeAll(bytes, (rest) => {
      isWriting = false
      // A report that is written alone, at the end, is not repeated.
      if (rest.length > 0 && !isReportOnly && !isBroken) {
        const lines = countLines(rest.length === bytes.length ? rest.subarray(begin.length) : rest)
        // The last line is the report.
        lost += reported > 0 ? lines - 1 + reported : lines
      }
      if (onDrained !== undefined || size >= batchSize) flush()
      else if (batch.length > 0) timer ??= setTimeout(flush, flushInterval)
    })
  }

  const write = (line: string): void => {
    if (isBroken) return
    if (size >= capacity) return void lost++
    batch.push(line)
    size += line.length + 1
    if (size >= batchSize) flush()
    else timer ??= setTimeout(flush, flushInterval)
  }

  const drain = Effect.callback<void>((resume) => {
    onDrained = () => resume(Effect.void)
    flush()
  })

  return { write, drain }
}
