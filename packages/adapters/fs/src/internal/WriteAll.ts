/**
 * Writes all of several chunks: one system call may write fewer bytes than it gets.
 */
import * as Fs from "node:fs"
import type * as FsCall from "./FsCall.ts"

/** The callback of a write, with the number of bytes that were written. */
export type Written = (error: NodeJS.ErrnoException | null, count: number) => void

/** The two system calls that write at a descriptor's position. */
export interface Calls {
  readonly write: (descriptor: number, bytes: Uint8Array, written: Written) => void
  readonly writev: (descriptor: number, chunks: ReadonlyArray<Uint8Array>, written: Written) => void
}

/** The system calls of the kernel. */
export const kernel: Calls = {
  write: (descriptor, bytes, written) => Fs.write(descriptor, bytes, 0, bytes.byteLength, null, written),
  writev: (descriptor, chunks, written) => Fs.writev(descriptor, chunks, written)
}

/** Below this average size, in bytes, one copy of all chunks is faster than a `writev` of them. */
const smallChunk = 8 * 1024

/** The error for a call that wrote no byte and reported no error. */
const nothingWritten = (): NodeJS.ErrnoException =>
  Object.assign(new Error("EIO: nothing was written"), { code: "EIO" })

/** Returns the rest of the chunks after their first `bytes` bytes. */
const dropBytes = (chunks: ReadonlyArray<Uint8Array>, bytes: number): ReadonlyArray<Uint8Array> => {
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

/** Writes chunks on the calling thread. `bytes` is their total length. */
export const writeAllSync = (descriptor: number, chunks: ReadonlyArray<Uint8Array>, bytes: number): void => {
  const [first] = chunks
  const all = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, bytes)
  for (let written = 0; written < bytes;) {
    const count = Fs.writeSync(descriptor, all, written)
    if (count === 0) throw nothingWritten()
    written += count
  }
}

/** Writes chunks. `bytes` is their total length. */
export const writeAll = (
  calls: Calls,
  descriptor: number,
  chunks: ReadonlyArray<Uint8Array>,
  bytes: number,
  done: FsCall.Done
): void => {
  const written: Written = (error, count) => {
    if (error) done(error)
    else if (count === bytes) done(null)
    else if (count === 0) done(nothingWritten())
    else writeAll(calls, descriptor, dropBytes(chunks, count), bytes - count, done)
  }
  const [first] = chunks
  if (first === undefined) done(null)
  else if (chunks.length === 1) calls.write(descriptor, first, written)
  else if (bytes < smallChunk * chunks.length) calls.write(descriptor, Buffer.concat(chunks, bytes), written)
  else calls.writev(descriptor, chunks, written)
}
