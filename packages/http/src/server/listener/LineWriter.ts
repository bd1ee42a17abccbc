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
/** Maximum number of characters in the batch while the reader is stalled. Further lines are dropped and counted. */
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
  /** Returns the line that reports the number of dropped lines. */
  readonly formatLost: (count: number) => string
}

/** Makes a writer. Closing the scope waits until the last line is written. */
export const make = (options: Options): Effect.Effect<LineWriter, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => open(options)),
    ({ drain }) => drain
  )

const lineBreak = 10

/** Returns how many of the next bytes to write at once: whole lines as far as a pipe takes them as a whole. */
const atomicLength = (bytes: Buffer): number => {
  if (bytes.length <= atomicBytes) return bytes.length
  const last = bytes.lastIndexOf(lineBreak, atomicBytes - 1)
  return (last >= 0 ? last : bytes.indexOf(lineBreak)) + 1
}

const open = ({ descriptor, formatLost, isShared }: Options) => {
  let batch: Array<string> = []
  let size = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let isWriting = false
  let isBroken = false
  let onDrained: (() => void) | undefined

  const writeAll = (bytes: Buffer, done: () => void): void =>
    Fs.write(descriptor, bytes, 0, isShared ? atomicLength(bytes) : bytes.length, null, (error, count) => {
      if (error === null) return count < bytes.length ? writeAll(bytes.subarray(count), done) : done()
      if (hasCode(error, "EAGAIN")) return void setTimeout(() => writeAll(bytes, done), retryDelay)
      // The pipe has no reader (EPIPE), or the write failed, for example on a full disk. The service continues: without
      // its log in the first case, without this batch in the second.
      isBroken = hasCode(error, "EPIPE")
      done()
    })

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (isWriting) return
    if (batch.length === 0) return onDrained?.()
    if (dropped > 0) batch.push(formatLost(dropped))
    dropped = 0
    const bytes = Buffer.from(`${batch.join("\n")}\n`)
    batch = []
    size = 0
    isWriting = true
    writeAll(bytes, () => {
      isWriting = false
      if (onDrained !== undefined || size >= batchSize) flush()
      else if (batch.length > 0) timer ??= setTimeout(flush, flushInterval)
    })
  }

  const write = (line: string): void => {
    if (isBroken) return
    if (size >= capacity) return void dropped++
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
