/**
 * The buffers of large responses. A large buffer makes a transfer fast, but a client that reads slowly occupies it until it has
 * read all of it. Therefore the bytes of the buffers in use are limited: a response gets smaller ones while few bytes are left, or while
 * its client reads slowly. So the memory of very many slow readers is bounded, and little for each.
 */
import * as BufferPool from "./BufferPool.ts"

interface Kind {
  readonly size: number
  readonly pool: BufferPool.BufferPool
  /** Bytes of all buffers in use, small ones excepted, beyond which there is no other one of this kind. */
  readonly maxInUse: number
}

const kindOf = (size: number, spare: number, maxInUse: number): Kind => ({
  size,
  pool: BufferPool.make({ size, spare }),
  maxInUse
})

/**
 * To send 1 MB over a loopback interface takes 0.24 ms of processor time by one write, and 0.41 ms by four, which the client reads one by
 * one, too. Half of the memory has smaller buffers, so that a few slow readers leave others more than small ones.
 */
const largest = kindOf(1024 * 1024, 4, 4 * 1024 * 1024)
const large = kindOf(256 * 1024, 16, 8 * 1024 * 1024)
const small = kindOf(8 * 1024, 64, Number.POSITIVE_INFINITY)

let inUse = 0

const hasRoomFor = ({ maxInUse, size }: Kind): boolean => inUse + size <= maxInUse

/** Returns a buffer whose contents are undefined, for some or all of the bytes that are `left`; a small one for a slow client. */
export const acquire = (left: number, isSlow: boolean): Buffer<ArrayBuffer> => {
  if (isSlow || !hasRoomFor(large)) return small.pool.acquire()
  const kind = left > large.size && hasRoomFor(largest) ? largest : large
  inUse += kind.size
  return kind.pool.acquire()
}

const kindOfBuffer = ({ length }: Buffer): Kind =>
  length === small.size ? small : length === large.size ? large : largest

/** Ends the use of a buffer that is not used again, because something may still read or write it. */
export const drop = (buffer: Buffer<ArrayBuffer>): void => {
  if (kindOfBuffer(buffer) !== small) inUse -= buffer.length
}

/** Ends the use of a buffer that nothing can read or write any more, so that the next response may have it. */
export const release = (buffer: Buffer<ArrayBuffer>): void => {
  drop(buffer)
  kindOfBuffer(buffer).pool.release(buffer)
}
