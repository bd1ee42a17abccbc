/**
 * The buffers of large responses. A large buffer makes a transfer fast, but a client that reads slowly occupies it until it has
 * read all of it. Therefore the large buffers in use are limited: a response gets small ones while there are no large ones,
 * or while its client reads slowly. So the memory of very many slow readers is bounded, and little for each.
 */
import * as BufferPool from "./BufferPool.ts"

/** In bytes. Larger buffers gain little speed. */
const largeSize = 256 * 1024
/** In bytes. */
const smallSize = 8 * 1024
/** The most large buffers in use: 8 MiB. */
const maxLarge = 32

const large = BufferPool.make({ size: largeSize, spare: 16 })
const small = BufferPool.make({ size: smallSize, spare: 64 })
let largeInUse = 0

/** Returns a buffer whose contents are undefined; a small one for a slow client. */
export const acquire = (isSlow: boolean): Buffer<ArrayBuffer> => {
  if (isSlow || largeInUse >= maxLarge) return small.acquire()
  largeInUse++
  return large.acquire()
}

/** Ends the use of a buffer that is not used again, because something may still read or write it. */
export const drop = (buffer: Buffer<ArrayBuffer>): void => {
  if (buffer.length === largeSize) largeInUse--
}

/** Ends the use of a buffer that nothing can read or write any more, so that the next response may have it. */
export const release = (buffer: Buffer<ArrayBuffer>): void => {
  drop(buffer)
  if (buffer.length === largeSize) large.release(buffer)
  else small.release(buffer)
}
