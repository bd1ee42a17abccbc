/**
 * Memory in which segments are made. It is used again: new memory for each segment makes the engine collect the garbage of the whole heap
 * every few dozen segments, which takes several times as long as the segments do.
 *
 * A block has room for what is read, and behind it for what is written of that: moving bytes within one array takes less than half the
 * time of copying them to another one. Large blocks that are used again are linear memory of WebAssembly, which moves them faster still
 * (`ts/PacketMover.ts`). Such a block takes more time to make than another one, and 10 GB of addresses.
 *
 * A reader that is slow occupies the blocks of its segment until it has read what was written there. Therefore the large blocks in use are
 * limited: while there are none, segments are made in small ones, which takes more time and little memory for each reader.
 */

/** Bytes of a block. */
export interface BlockSize {
  /** For what is read. */
  readonly readBytes: number
  /** For what is written: what is read, with the headers of MPEG-TS. */
  readonly writtenBytes: number
}

export const large: BlockSize = { readBytes: 256 * 1024, writtenBytes: 320 * 1024 }
export const small: BlockSize = { readBytes: 32 * 1024, writtenBytes: 40 * 1024 }

/** Large blocks in use, beyond which segments begin with small ones: 18 MiB. A segment that began with large ones takes a few more. */
const maxInUse = 32

/** Blocks that are kept while no segment uses them. */
const maxKept = { large: 16, small: 64 }

/** Of a page of WebAssembly. */
const pageBytes = 64 * 1024

const memories = new WeakMap<ArrayBufferLike, WebAssembly.Memory>()
/** Linear memories that exist: the memory of a segment that was given up is collected as garbage, and does not come back. */
let living = 0
const whenCollected = new FinalizationRegistry<void>(() => {
  living--
})

/** An engine without a compiler has no WebAssembly, and a process with few addresses (`ulimit -v`) may not have the memory. */
let hasLinear = typeof WebAssembly !== "undefined"

const makeLinear = (bytes: number): WebAssembly.Memory | undefined => {
  if (!hasLinear || living >= maxKept.large) return undefined
  try {
    return new WebAssembly.Memory({ initial: Math.ceil(bytes / pageBytes) })
  } catch {
    hasLinear = false
    return undefined
  }
}

const bytesOf = ({ readBytes, writtenBytes }: BlockSize): number => readBytes + writtenBytes

const makeLarge = (): Uint8Array => {
  const bytes = bytesOf(large)
  const memory = makeLinear(bytes)
  if (memory === undefined) return new Uint8Array(bytes)
  living++
  whenCollected.register(memory.buffer)
  memories.set(memory.buffer, memory)
  return new Uint8Array(memory.buffer, 0, bytes)
}

/** Returns the linear memory that a block is; undefined if it is none. */
export const linearOf = ({ buffer }: Uint8Array): WebAssembly.Memory | undefined => memories.get(buffer)

const kept: Record<"large" | "small", Array<Uint8Array>> = { large: [], small: [] }
let inUse = 0

/** The blocks of a segment. */
export interface Blocks extends BlockSize {
  /** Returns a block, with undefined content. */
  readonly take: () => Uint8Array
  /** Gives a block back that nothing uses any more. */
  readonly release: (block: Uint8Array) => void
  /** Ends the use of the other blocks. They are not used again, because something may still read or write them. */
  readonly close: () => void
}

const openLarge = (): Blocks => {
  let used = 0
  const take = (): Uint8Array => {
    inUse++
    used++
    return kept.large.pop() ?? makeLarge()
  }
  // Taken at once, so that segments that begin together count each other's.
  let first: Uint8Array | undefined = take()
  const release = (block: Uint8Array): void => {
    inUse--
    used--
    if (kept.large.length < maxKept.large && (!hasLinear || memories.has(block.buffer))) kept.large.push(block)
  }
  return {
    ...large,
    take: () => {
      const block = first ?? take()
      first = undefined
      return block
    },
    release,
    close: () => {
      if (first !== undefined) release(first)
      inUse -= used
      first = undefined
      used = 0
    }
  }
}

const smallBlocks: Blocks = {
  ...small,
  take: () => kept.small.pop() ?? new Uint8Array(bytesOf(small)),
  release: (block) => {
    if (kept.small.length < maxKept.small) kept.small.push(block)
  },
  close: () => undefined
}

const isScarce = (): boolean => inUse >= maxInUse

/** Opens the blocks of a segment, which closes them. */
export const open = (): Blocks => (isScarce() ? smallBlocks : openLarge())

/** A chunk of other memory that a reader occupies. It counts as a large block. */
export interface Hold {
  /** Holds the next chunk in place of the one before. Returns false, and holds none, while memory is scarce. */
  readonly next: () => boolean
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
    next: () => {
      end()
      if (isScarce()) return false
      inUse++
      held = 1
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
