/**
 * Memory in which segments are made. It is used again: new memory for each segment makes the engine collect the garbage of the whole heap
 * every few dozen segments, which takes several times as long as the segments do.
 */

/** Bytes of a block: what is read at once, with the headers of MPEG-TS. */
const blockBytes = 320 * 1024

/** Blocks that are kept while no segment uses them. */
const maxKept = 24

const kept: Array<Uint8Array> = []

/** The buffers of all blocks, so that no other memory is taken for one. */
const blocks = new WeakSet<ArrayBufferLike>()

const makeBlock = (): Uint8Array => {
  const block = new Uint8Array(blockBytes)
  blocks.add(block.buffer)
  return block
}

/** Returns memory of this many bytes, with undefined content, at the beginning of its buffer. */
export const take = (bytes: number): Uint8Array =>
  bytes > blockBytes ? new Uint8Array(bytes) : (kept.pop() ?? makeBlock()).subarray(0, bytes)

/** Gives memory back that nothing uses any more. Other memory than that of `take` is not kept. */
export const release = ({ buffer }: Uint8Array): void => {
  if (blocks.has(buffer) && kept.length < maxKept) kept.push(new Uint8Array(buffer))
}
