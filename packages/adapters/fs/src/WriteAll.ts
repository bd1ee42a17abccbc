/**
 * Writing all of what is given: the kernel may take less at a time.
 */
import * as Fs from "node:fs"
import type * as FsCall from "./FsCall.ts"

/** Says how many bytes the kernel took. */
export type Written = (error: NodeJS.ErrnoException | null, count: number) => void

/** The two calls that write at a descriptor's position. */
export interface Calls {
  readonly write: (descriptor: number, bytes: Uint8Array, written: Written) => void
  readonly writev: (descriptor: number, chunks: ReadonlyArray<Uint8Array>, written: Written) => void
}

export const kernel: Calls = {
  write: (descriptor, bytes, written) => Fs.write(descriptor, bytes, 0, bytes.byteLength, null, written),
  writev: (descriptor, chunks, written) => Fs.writev(descriptor, chunks, written)
}

/** Below this average a chunk of its own costs more than copying the chunks together. */
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

/** Writes chunks, which have so many bytes together. */
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
    else if (count === 0) done(stuck())
    else writeAll(calls, descriptor, after(chunks, count), bytes - count, done)
  }
  const [first] = chunks
  if (first === undefined) done(null)
  else if (chunks.length === 1) calls.write(descriptor, first, written)
  else if (bytes < smallChunk * chunks.length) calls.write(descriptor, Buffer.concat(chunks, bytes), written)
  else calls.writev(descriptor, chunks, written)
}
