/**
 * Writes one new file from chunks, one system call at a time, in the background: the caller fetches and hashes the next
 * chunks meanwhile.
 */
import * as TransferableChunks from "@holdfast/core/storage/TransferableChunks"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Durable from "./Durable.ts"
import * as FsCall from "./FsCall.ts"
import * as WriteAll from "./WriteAll.ts"

export interface Writer {
  /**
   * Begins to write, making the file at the first call. Only while nothing else is under way. With `last` the file is
   * synced and closed after it. The chunks must stay as they are until `idle`; those that were given away are freed as
   * soon as they are written.
   */
  readonly begin: (chunks: ReadonlyArray<Uint8Array>, bytes: number, last: boolean) => void
  /** Waits for what was begun; fails as it failed. */
  readonly idle: Effect.Effect<void, FsCall.ErrnoError>
  /** Waits for what was begun, closes the file and removes it. Right in every state. */
  readonly discard: Effect.Effect<void>
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
    WriteAll.writeAll(WriteAll.kernel, descriptor, chunks, bytes, (error) => {
      TransferableChunks.detach(chunks)
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
        return FsCall.ignoreFailure(close).pipe(Effect.andThen(FsCall.ignoreFailure(FsCall.unlink(path))))
      })
    ),
    Effect.uninterruptible
  )

  return { begin, idle, discard }
}
