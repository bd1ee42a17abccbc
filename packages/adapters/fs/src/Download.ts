/**
 * One content, or a range of it, on its way from the disk.
 */
import * as Scoped from "@holdfast/core/Scoped"
import type { ReadOptions } from "@holdfast/core/storage/BlobStore"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as FsCall from "./FsCall.ts"

/** The largest chunk where each is fresh memory: of larger ones, the system would have to find the pages anew. */
const chunkBytes = 256 * 1024

/** The largest chunk where all are in one memory: fewer trips to the disk's threads. */
const transientBytes = 1024 * 1024

interface Opened {
  readonly descriptor: number
  readonly size: number
}

/** What needs no disk is not worth the trip to a thread: looking at a file that is open, and closing one that was read. */
const open = (path: string): Effect.Effect<Opened, FsCall.ErrnoError> =>
  FsCall.call<Opened>((done) => {
    Fs.open(path, "r", (openError, descriptor) => {
      if (openError) return done(openError, { descriptor, size: 0 })
      try {
        done(null, { descriptor, size: Fs.fstatSync(descriptor).size })
      } catch (error) {
        Fs.closeSync(descriptor)
        done(FsCall.toError(error), { descriptor, size: 0 })
      }
    })
  })

const close = ({ descriptor }: Opened): Effect.Effect<void> =>
  FsCall.ignoreFailure(FsCall.attempt(() => Fs.closeSync(descriptor)))

const tooShort = (): FsCall.ErrnoError => FsCall.errno(new Error("the blob's file is shorter than expected"))

/** Where chunks of so many bytes are read into, of which `most` are to come: the one memory, or one of its own for each. */
const memoryOf = (isTransient: boolean, most: number): ((wanted: number) => Buffer) => {
  if (!isTransient) return (wanted) => Buffer.allocUnsafeSlow(Math.min(chunkBytes, wanted))
  const shared = Buffer.allocUnsafeSlow(Math.min(transientBytes, most))
  return (wanted) => shared.subarray(0, wanted)
}

/**
 * Streams a file's bytes. The descriptor keeps them in reach when the file is removed meanwhile. A file that is shorter
 * than it was at the beginning, or than the range needs, fails the stream.
 */
export const make = (
  path: string,
  { isTransient = false, range }: ReadOptions = {}
): Stream.Stream<Uint8Array, FsCall.ErrnoError> =>
  Stream.unwrap(
    Effect.map(Scoped.acquire(open(path), close), ({ descriptor, size }) => {
      let position = range?.offset ?? 0
      const end = range === undefined ? size : range.offset + range.length
      if (end > size) return Stream.fail(tooShort())
      const memory = memoryOf(isTransient, end - position)
      const next = Effect.suspend((): Pull.Pull<[Uint8Array], FsCall.ErrnoError> => {
        if (position >= end) return Cause.done()
        const buffer = memory(end - position)
        const length = buffer.byteLength
        return Effect.flatMap(
          FsCall.call<number>((done) => Fs.read(descriptor, buffer, 0, length, position, done)),
          (count) => {
            if (count === 0) return Effect.fail(tooShort())
            position += count
            return Effect.succeed<[Uint8Array]>([count === length ? buffer : buffer.subarray(0, count)])
          }
        )
      })
      return Stream.fromPull(Effect.succeed(next))
    })
  )
