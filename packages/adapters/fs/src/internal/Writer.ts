/**
 * Writes chunks to a new file, one system call at a time, in the background, while the caller reads and hashes the next
 * chunks.
 */
import * as TransferableChunks from "@holdfast/core/storage/TransferableChunks"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import type { DirectoryOwner } from "../DirectoryOwner.ts"
import type * as DirectCalls from "./DirectCalls.ts"
import * as Durable from "./Durable.ts"
import * as FsCall from "./FsCall.ts"
import * as WriteAll from "./WriteAll.ts"

export interface Writer {
  /**
   * Starts to write; the first call creates the file. Call it only while no other write is in progress. With `last`, syncs
   * and closes the file afterwards. The chunks must not change until `idle`. Transferable chunks are detached as soon as
   * they are written.
   */
  readonly begin: (chunks: ReadonlyArray<Uint8Array>, bytes: number, last: boolean) => void
  /** Waits for the write in progress; fails when a write has failed. */
  readonly idle: Effect.Effect<void, FsCall.ErrnoError>
  /** Waits for the write in progress, closes the file and removes it. May be called in every state. */
  readonly discard: Effect.Effect<void>
}

/** A file to write. */
export interface NewFile {
  /** Must not exist. */
  readonly path: string
  readonly directCalls: DirectCalls.DirectCalls
  /** Gets the file before it is synced. */
  readonly owner: DirectoryOwner
}

/** The most bytes that are written on the calling thread: a copy of them into the page cache takes some 20 µs. */
const maxDirectBytes = 64 * 1024

export const make = ({ directCalls, owner, path }: NewFile): Writer => {
  let state: "absent" | "open" | "closed" = "absent"
  let descriptor = -1
  let busy = false
  let failure: NodeJS.ErrnoException | undefined
  let onIdle: (() => void) | undefined

  const finish: FsCall.Done = (error) => {
    busy = false
    failure ??= error ?? undefined
    const resume = onIdle
    onIdle = undefined
    resume?.()
  }

  const syncAndClose = (): void => {
    state = "closed"
    FsCall.syncAndClose(descriptor, finish)
  }

  const write = (chunks: ReadonlyArray<Uint8Array>, bytes: number, last: boolean): void =>
    WriteAll.writeAll(WriteAll.kernel, descriptor, chunks, bytes, (error) => {
      TransferableChunks.detach(chunks)
      if (error || !last) finish(error)
      else syncAndClose()
    })

  /** Creates and writes a file whose bytes are all known. */
  const writeWhole = (chunks: ReadonlyArray<Uint8Array>, bytes: number): void => {
    try {
      directCalls.run(() => {
        descriptor = Fs.openSync(path, "wx", Durable.fileMode)
        state = "open"
        owner.give(descriptor)
        WriteAll.writeAllSync(descriptor, chunks, bytes)
      })
    } catch (cause) {
      return finish(FsCall.toError(cause))
    } finally {
      TransferableChunks.detach(chunks)
    }
    syncAndClose()
  }

  const begin: Writer["begin"] = (chunks, bytes, last) => {
    busy = true
    if (state === "open") return write(chunks, bytes, last)
    if (last && bytes <= maxDirectBytes && directCalls.isFast()) return writeWhole(chunks, bytes)
    Fs.open(path, "wx", Durable.fileMode, (error, opened) => {
      if (error) return finish(error)
      state = "open"
      descriptor = opened
      try {
        owner.give(descriptor)
      } catch (cause) {
        return finish(FsCall.toError(cause))
      }
      write(chunks, bytes, last)
    })
  }

  const outcome = () => (failure === undefined ? Effect.void : Effect.fail(FsCall.errno(failure)))

  const idle = Effect.suspend(() =>
    busy
      ? Effect.callback<void, FsCall.ErrnoError>((resume) => {
          onIdle = () => resume(outcome())
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
