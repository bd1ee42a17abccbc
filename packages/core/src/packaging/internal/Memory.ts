/**
 * Memory in which segments are made. It is used again: new memory for each segment makes the engine collect the garbage of the whole heap
 * every few dozen segments, which takes several times as long as the segments do.
 *
 * A block has room for what is read, and behind it for what is written of that: moving bytes within one array takes less than half the
 * time of copying them to another one. The largest and the large blocks that are used again are linear memory of WebAssembly, which moves
 * bytes faster still (`ts/PacketMover.ts`). Such a block takes more time to make than another one, and 10 GB of addresses.
 *
 * A reader that is slow occupies the blocks of its segment until it has read what was written there. Therefore the bytes of the blocks in
 * use are limited: a segment is made in smaller ones while few are left, which takes more time and less memory for each reader.
 */

/** Bytes of a block. */
export interface BlockSize {
  /** For what is read at once. */
  readonly readBytes: number
  /** How often there is room for that. */
  readonly reads: number
  /** For what is written: what is read, with the headers of MPEG-TS. */
  readonly writtenBytes: number
}

/** Has room for most segments as a whole: one write to a socket takes half the processor time of four (`bench/packaging.ts`). */
export const largest: BlockSize = { readBytes: 256 * 1024, reads: 3, writtenBytes: 1280 * 1024 }
export const large: BlockSize = { readBytes: 256 * 1024, reads: 1, writtenBytes: 320 * 1024 }
export const small: BlockSize = { readBytes: 32 * 1024, reads: 1, writtenBytes: 40 * 1024 }

/** Bytes of what is written of one read. Less room is not begun to be written into. */
const writtenOfRead = large.writtenBytes

/** Bytes in use, beyond which segments begin with small blocks. A segment that began with large ones takes a few more. */
const maxInUse = 18 * 1024 * 1024
/** The same for the largest blocks, so that a few slow readers leave others more than small ones. */
const maxInUseWithLargest = 9 * 1024 * 1024

/** Blocks that are kept while no segment uses them. No more of the larger ones are linear memory. */
const maxKept = { largest: 4, large: 12, small: 64 }

type LinearKind = "largest" | "large"

/** Of a page of WebAssembly. */
const pageBytes = 64 * 1024

const memories = new WeakMap<ArrayBufferLike, WebAssembly.Memory>()
/** Linear memories that exist: the memory of a segment that was given up is collected as garbage, and does not come back. */
const living: Record<LinearKind, number> = { largest: 0, large: 0 }
const whenCollected = new FinalizationRegistry<LinearKind>((kind) => {
  living[kind]--
})

/** An engine without a compiler has no WebAssembly, and a process with few addresses (`ulimit -v`) may not have the memory. */
let hasLinear = typeof WebAssembly !== "undefined"

const makeLinear = (kind: LinearKind, bytes: number): WebAssembly.Memory | undefined => {
  if (!hasLinear || living[kind] >= maxKept[kind]) return undefined
  try {
    return new WebAssembly.Memory({ initial: Math.ceil(bytes / pageBytes) })
  } catch {
    hasLinear = false
    return undefined
  }
}

const bytesOf = ({ readBytes, reads, writtenBytes }: BlockSize): number => reads * readBytes + writtenBytes

/** Makes a block of linear memory if there is any. */
const makeLarge = (kind: LinearKind, bytes: number): Uint8Array => {
  const memory = makeLinear(kind, bytes)
  if (memory === undefined) return new Uint8Array(bytes)
  living[kind]++
  whenCollected.register(memory.buffer, kind)
  memories.set(memory.buffer, memory)
  return new Uint8Array(memory.buffer, 0, bytes)
}

/** Returns the linear memory that a block is; undefined if it is none. */
export const linearOf = ({ buffer }: Pick<Uint8Array, "buffer">): WebAssembly.Memory | undefined => memories.get(buffer)

const kept: Record<LinearKind | "small", Array<Uint8Array>> = { largest: [], large: [], small: [] }
let inUse = 0

/** Keeps a block for the next segment. Of the larger ones, those that are no linear memory are kept only if none is. */
const keep = (kind: LinearKind | "small", block: Uint8Array): void => {
  const isWorthKeeping = kind === "small" || !hasLinear || memories.has(block.buffer)
  if (isWorthKeeping && kept[kind].length < maxKept[kind]) kept[kind].push(block)
}

/** Room for what is read at once: the bytes of a block from `start` on. */
export interface Room {
  readonly bytes: Uint8Array
  readonly start: number
}

/** Room for bytes that are written, from `at` on. Its content is undefined. */
export interface Output {
  readonly bytes: Uint8Array
  readonly at: number
}

/** The blocks of a segment. */
export interface Blocks {
  /** Bytes of the room for a read. */
  readonly readBytes: number
  /** Returns room for a read. */
  readonly take: () => Room
  /** Gives room back that nothing is read from any more. */
  readonly release: (room: Room) => void
  /** Returns room for bytes that are written, in the block of what was read last if possible; undefined if no block has so much. */
  readonly allocate: (bytes: number, read: Room | undefined) => Output | undefined
  /** Whether what is written next has room beside what has been written, so that both can be read together. */
  readonly hasRoom: () => boolean
  /** Gives the room back of all that has been written. */
  readonly reuse: () => void
  /** Ends the use of the other blocks. They are not used again, because something may still read or write them. */
  readonly close: () => void
}

const openLargest = (): Blocks => {
  const block = kept.largest.pop() ?? makeLarge("largest", bytesOf(largest))
  inUse += block.length
  const { readBytes, reads } = largest
  const rooms = Array.from({ length: reads }, (_, index): Room => ({ bytes: block, start: index * readBytes }))
  const begin = reads * readBytes
  let at = begin
  return {
    readBytes,
    take: () => rooms.pop() ?? { bytes: new Uint8Array(readBytes), start: 0 },
    release: (room) => {
      if (room.bytes === block) rooms.push(room)
    },
    allocate: (bytes) => {
      if (at + bytes > block.length) return undefined
      at += bytes
      return { bytes: block, at: at - bytes }
    },
    hasRoom: () => at + writtenOfRead <= block.length,
    reuse: () => {
      at = begin
    },
    close: () => {
      inUse -= block.length
      if (at === begin && rooms.length === reads) keep("largest", block)
    }
  }
}

/** Opens blocks that have room for one read each. */
const openBlocks = (kind: "large" | "small", size: BlockSize): Blocks => {
  const blockBytes = bytesOf(size)
  /** Small blocks do not count. */
  const counted = kind === "large" ? blockBytes : 0
  const makeNew = (): Uint8Array => (kind === "large" ? makeLarge(kind, blockBytes) : new Uint8Array(blockBytes))
  let used = 0
  /** The block that has what was written, and whether nothing is read from it any more. */
  let written: Room | undefined
  let isFree = false
  const take = (): Room => {
    inUse += counted
    used++
    return { bytes: kept[kind].pop() ?? makeNew(), start: 0 }
  }
  const giveBack = ({ bytes }: Room): void => {
    inUse -= counted
    used--
    keep(kind, bytes)
  }
  // Taken at once, so that segments that begin together count each other's.
  let first: Room | undefined = take()
  return {
    readBytes: size.readBytes,
    take: () => {
      const room = first ?? take()
      first = undefined
      return room
    },
    release: (room) => {
      if (room === written) isFree = true
      else giveBack(room)
    },
    allocate: (bytes, read) => {
      if (bytes > size.writtenBytes) return undefined
      isFree = read === undefined
      written = read ?? take()
      return { bytes: written.bytes, at: size.readBytes }
    },
    hasRoom: () => false,
    reuse: () => {
      if (written !== undefined && isFree) giveBack(written)
      written = undefined
    },
    close: () => {
      if (first !== undefined) giveBack(first)
      first = undefined
      inUse -= counted * used
      used = 0
    }
  }
}

const isScarce = (): boolean => inUse >= maxInUse

/** Opens the blocks of a segment, which closes them. `isTransient`: what is written is read before the next is written. */
export const open = (isTransient: boolean): Blocks => {
  if (isScarce()) return openBlocks("small", small)
  return isTransient && inUse + bytesOf(largest) <= maxInUseWithLargest ? openLargest() : openBlocks("large", large)
}

/** Chunks of other memory that a reader occupies. Their bytes count as those of blocks. */
export interface Hold {
  /**
   * Holds the next chunks in place of those before. Returns false, and holds none, while memory is scarce. `isWhole`: they are all of a
   * segment, so that the limit is that of the largest blocks.
   */
  readonly next: (bytes: number, isWhole: boolean) => boolean
  /** Ends the hold. */
  readonly end: () => void
}

export const makeHold = (): Hold => {
  let held = 0
  const end = (): void => {
    inUse -= held
    held = 0
  }
  return {
    next: (bytes, isWhole) => {
      end()
      if (isWhole ? inUse + bytes > maxInUseWithLargest : isScarce()) return false
      held = bytes
      inUse += held
      return true
    },
    end
  }
}

/** Bytes that are copied by one call, at least: a loop copies fewer in less time. */
const minMoved = 32

/** Copies the bytes from `start` to `end`. */
export const move = (from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void => {
  if (end - start < minMoved) for (let index = start; index < end; index++) to[at + index - start] = from[index] ?? 0
  else if (from === to) to.copyWithin(at, start, end)
  else to.set(from.subarray(start, end), at)
}
