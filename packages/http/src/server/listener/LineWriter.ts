/**
 * Lines to a file descriptor, gathered for a moment and written off the main thread: a slow reader of the log never
 * holds up a request, nor does its backlog grow without end.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"

export interface LineWriter {
  /** Takes one line, without its end. */
  readonly write: (line: string) => void
}

/** Characters that are written at once, without waiting for more. */
const batchSize = 64 * 1024
/** Milliseconds for which lines are gathered. */
const gatherFor = 50
/** Characters that wait for a stalled reader; lines beyond are lost, and counted. */
const capacity = 8 * 1024 * 1024
/** Milliseconds until a full pipe is tried again. */
const retryAfter = 20

const isCode = (error: NodeJS.ErrnoException, code: string): boolean => error.code === code

/** Writes until the scope closes, which waits for the last line. `lost` makes the line that tells of lost ones. */
export const make = (
  descriptor: number,
  lost: (count: number) => string
): Effect.Effect<LineWriter, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => open(descriptor, lost)),
    ({ drain }) => drain
  )

const open = (descriptor: number, lost: (count: number) => string) => {
  let waiting: Array<string> = []
  let size = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let isBusy = false
  let isBroken = false
  let whenIdle: (() => void) | undefined

  const put = (bytes: Buffer, done: () => void): void =>
    Fs.write(descriptor, bytes, (error, count) => {
      if (error === null) return count < bytes.length ? put(bytes.subarray(count), done) : done()
      if (isCode(error, "EAGAIN")) return void setTimeout(() => put(bytes, done), retryAfter)
      // Nobody reads any more, or the disk is full: the service goes on without its log.
      isBroken = isCode(error, "EPIPE")
      done()
    })

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (isBusy) return
    if (waiting.length === 0) return whenIdle?.()
    if (dropped > 0) waiting.push(lost(dropped))
    dropped = 0
    const bytes = Buffer.from(`${waiting.join("\n")}\n`)
    waiting = []
    size = 0
    isBusy = true
    put(bytes, () => {
      isBusy = false
      if (whenIdle !== undefined || size >= batchSize) flush()
      else if (waiting.length > 0) timer ??= setTimeout(flush, gatherFor)
    })
  }

  const write = (line: string): void => {
    if (isBroken) return
    if (size >= capacity) return void dropped++
    waiting.push(line)
    size += line.length + 1
    if (size >= batchSize) flush()
    else timer ??= setTimeout(flush, gatherFor)
  }

  const drain = Effect.callback<void>((resume) => {
    whenIdle = () => resume(Effect.void)
    flush()
  })

  return { write, drain }
}
