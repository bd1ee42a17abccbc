/**
 * Reads a blob's file, or a range of it, as a stream.
 */
import * as Scoped from "@holdfast/core/Scoped"
import type { ReadOptions } from "@holdfast/core/storage/BlobStore"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import type { DirectCalls } from "./DirectCalls.ts"
import * as FsCall from "./FsCall.ts"

/** The largest chunk when each chunk is new memory. For larger ones the system would have to map new pages each time. */
const chunkBytes = 256 * 1024

/** The largest chunk when all chunks reuse one memory: fewer round trips to the thread pool. */
const transientBytes = 1024 * 1024

interface Opened {
  readonly descriptor: number
  readonly size: number
}

/** Calls `fstat` synchronously: it needs no disk, so a thread would only add latency. Closes the file if that fails. */
const toOpened = (descriptor: number): Opened => {
  try {
    return { descriptor, size: Fs.fstatSync(descriptor).size }
  } catch (error) {
    Fs.closeSync(descriptor)
    throw error
  }
}

/** Opens a file in the thread pool. */
const open = (path: string): Effect.Effect<Opened, FsCall.ErrnoError> =>
  FsCall.call<Opened>((done) => {
    Fs.open(path, "r", (openError, descriptor) => {
      if (openError) return done(openError, { descriptor, size: 0 })
      try {
        done(null, toOpened(descriptor))
      } catch (error) {
        done(FsCall.toError(error), { descriptor, size: 0 })
      }
    })
  })

/** Closes a file synchronously: after reading there is nothing to wait for. */
const close = ({ descriptor }: Opened): Effect.Effect<void> =>
  FsCall.ignoreFailure(FsCall.attempt(() => Fs.closeSync(descriptor)))

/** The code of the error for a file that has not the expected size. */
export const wrongSize = "WRONG_SIZE"

const otherSize = (): FsCall.ErrnoError =>
  FsCall.errno(Object.assign(new Error("the blob's file has another size than expected"), { code: wrongSize }))

/**
 * Returns the function that allocates the memory of a chunk: the reader's own, one shared memory when chunks are transient, new memory
 * for each chunk otherwise. `total`: the bytes that will be read.
 */
const allocator = ({ into, isTransient = false }: ReadOptions, total: number): ((wanted: number) => Uint8Array) => {
  if (into?.length === total) return (wanted) => into.subarray(total - wanted)
  if (!isTransient) return (wanted) => Buffer.allocUnsafeSlow(Math.min(chunkBytes, wanted))
  const shared = Buffer.allocUnsafeSlow(Math.min(transientBytes, total))
  return (wanted) => shared.subarray(0, wanted)
}

/**
 * Streams a file's bytes. The open descriptor keeps them readable when the file is removed meanwhile. The stream fails when
 * the file has another size than expected, or is shorter than at the beginning or than the range requires.
 */
export const make = (path: string, options: ReadOptions = {}): Stream.Stream<Uint8Array, FsCall.ErrnoError> =>
  Stream.unwrap(
    Effect.map(Scoped.acquire(open(path), close), ({ descriptor, size }) => {
      const { range, size: expected } = options
      let position = range?.offset ?? 0
      const end = range === undefined ? size : range.offset + range.length
      if (end > size || (expected !== undefined && size !== expected)) return Stream.fail(otherSize())
      const allocate = allocator(options, end - position)
      const next = Effect.suspend((): Pull.Pull<[Uint8Array], FsCall.ErrnoError> => {
        if (position >= end) return Cause.done()
        const buffer = allocate(end - position)
        const length = buffer.byteLength
        return Effect.flatMap(
          FsCall.call<number>((done) => Fs.read(descriptor, buffer, 0, length, position, done)),
          (count) => {
            if (count === 0) return Effect.fail(otherSize())
            position += count
            return Effect.succeed<[Uint8Array]>([count === length ? buffer : buffer.subarray(0, count)])
          }
        )
      })
      return Stream.fromPull(Effect.succeed(next))
    })
  )

/**
 * Opens a file of a known size until the scope closes. Returns what fills memory from an offset on. Fails when the file has another size,
 * or is shorter than the range requires. Readers read the segments of a video one after the other, so that the kernel has mostly read them
 * ahead: `directCalls` decides which thread reads.
 */
export const openFile = (path: string, expected: number, directCalls: DirectCalls) => {
  const opened = FsCall.short(
    directCalls,
    () => toOpened(Fs.openSync(path, "r")),
    () => open(path)
  )
  return Effect.flatMap(Scoped.acquire(opened, close), ({ descriptor, size }) => {
    if (size !== expected) return Effect.fail(otherSize())
    const readSome = (position: number, memory: Uint8Array): Effect.Effect<number, FsCall.ErrnoError> =>
      FsCall.short(
        directCalls,
        () => Fs.readSync(descriptor, memory, 0, memory.byteLength, position),
        () => FsCall.call<number>((done) => Fs.read(descriptor, memory, 0, memory.byteLength, position, done))
      )
    const fill = (position: number, memory: Uint8Array): Effect.Effect<void, FsCall.ErrnoError> =>
      Effect.flatMap(readSome(position, memory), (count) => {
        if (count === memory.byteLength) return Effect.void
        return count === 0 ? Effect.fail(otherSize()) : fill(position + count, memory.subarray(count))
      })
    return Effect.succeed(fill)
  })
}
