/**
 * Writes one new file from chunks, one system call at a time, in the background: the caller fetches and hashes the next
 * chunks meanwhile.
 */
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Durable from "./Durable.ts"
import * as FsCall from "./FsCall.ts"

export interface Writer {
  /**
   * Begins to write, making the file at the first call. Only while nothing else is under way. With `last` the file is
   * synced and closed after it. The chunks must stay as they are until `idle`.
   */
  readonly begin: (chunks: ReadonlyArray<Uint8Array>, bytes: number, last: boolean) => void
  /** Waits for what was begun; fails as it failed. */
  readonly idle: Effect.Effect<void, FsCall.ErrnoError>
  /** Waits for what was begun, closes the file and removes it. Right in every state. */
  readonly discard: Effect.Effect<void>
}

/** Below this average a write costs more than copying its chunks together. */
const smallChunk = 8 * 1024

/** A device that takes nothing without saying why. */
const stuck = (): NodeJS.ErrnoException => Object.assign(new Error("EIO: nothing was written"), { code: "EIO" })

/** What is left of the chunks after their first `bytes`. */
const after = (chunks: ReadonlyArray<Uint8Array>, bytes: number): ReadonlyArray<Uint8Array> => {
  let index = 0
  let skip = bytes
  for (const chunk of chunks) {
    if (chunk.byteLength > skip) break
    skip -= chunk.byteLength
    index++
  }
  const [head, ...rest] = chunks.slice(index)
  return head === undefined ? [] : [head.subarray(skip), ...rest]
}

/** Writes all of it at the descriptor's position; the kernel may take it in several parts. */
const writeAll = (descriptor: number, chunks: ReadonlyArray<Uint8Array>, bytes: number, done: FsCall.Done): void => {
  const written = (error: NodeJS.ErrnoException | null, count: number): void => {
    if (error) done(error)
    else if (count === bytes) done(null)
    else if (count === 0) done(stuck())
    else writeAll(descriptor, after(chunks, count), bytes - count, done)
  }
  const [first] = chunks
  if (first === undefined) done(null)
  else if (chunks.length === 1) Fs.write(descriptor, first, 0, bytes, null, written)
  else if (bytes < smallChunk * chunks.length)
    Fs.write(descriptor, Buffer.concat(chunks, bytes), 0, bytes, null, written)
  else Fs.writev(descriptor, chunks, written)
}

/** `path` must not exist. */
export const make = (path: string): Writer => {
  let state: "absent" | "open" | "closed" = "absent"
  let descriptor = -1
  let busy = false
  let failure: NodeJS.ErrnoException | undefined
  let waiting: (() => void) | undefined

  const settle: FsCall.Done = (error) => {
    busy = false
    failure ??= error ?? undefined
    const resume = waiting
    waiting = undefined
    resume?.()
  }

  const write = (chunks: ReadonlyArray<Uint8Array>, bytes: number, last: boolean): void =>
    writeAll(descriptor, chunks, bytes, (error) => {
      if (error || !last) return settle(error)
      state = "closed"
      FsCall.syncAndClose(descriptor, settle)
    })

  const begin: Writer["begin"] = (chunks, bytes, last) => {
    busy = true
    if (state === "open") return write(chunks, bytes, last)
    Fs.open(path, "wx", Durable.fileMode, (error, opened) => {
      if (error) return settle(error)
      state = "open"
      descriptor = opened
      write(chunks, bytes, last)
    })
  }

  const outcome = () => (failure === undefined ? Effect.void : Effect.fail(FsCall.errno(failure)))

  const idle = Effect.suspend(() =>
    busy
      ? Effect.callback<void, FsCall.ErrnoError>((resume) => {
          waiting = () => resume(outcome())
        })
      : outcome()
  )

  const discard = Effect.exit(idle).pipe(
    Effect.andThen(
      Effect.suspend(() => {
        if (state === "absent") return Effect.void
        const close = state === "open" ? FsCall.call<void>((done) => Fs.close(descriptor, done)) : Effect.void
        state = "closed"
        return FsCall.tidy(close).pipe(Effect.andThen(FsCall.tidy(FsCall.unlink(path))))
      })
    ),
    Effect.uninterruptible
  )

  return { begin, idle, discard }
}
