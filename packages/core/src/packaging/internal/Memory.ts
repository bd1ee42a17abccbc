/**
 * Memory in which segments are made. It is used again: new memory for each segment makes the engine collect the garbage of the whole heap
 * every few dozen segments, which takes several times as long as the segments do.
 *
 * A block has room for what is read, and behind it for what is written of that: moving bytes within one array takes less than half the
 * time of copying them to another one.
 */

/** Bytes of a block for what is read. */
export const readBytes = 256 * 1024

/** Bytes of a block for what is written: what is read, with the headers of MPEG-TS. */
export const writtenBytes = 320 * 1024

/** Blocks that are kept while no segment uses them. */
const maxKept = 16

const kept: Array<Uint8Array> = []

/** Returns a block, with undefined content. */
export const take = (): Uint8Array => kept.pop() ?? new Uint8Array(readBytes + writtenBytes)

/** Gives a block back that nothing uses any more. */
export const release = (block: Uint8Array): void => {
  if (kept.length < maxKept) kept.push(block)
}

/** Bytes that are copied by one call, at least: a loop copies fewer in less time. */
const minMoved = 32

/** Copies the bytes from `start` to `end`. */
export const move = (from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void => {
  if (end - start < minMoved) for (let index = start; index < end; index++) to[at + index - start] = from[index] ?? 0
  else if (from === to) to.copyWithin(at, start, end)
  else to.set(from.subarray(start, end), at)
}
