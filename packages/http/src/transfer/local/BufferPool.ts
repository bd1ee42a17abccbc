/**
 * Buffers that are used again. A response of tens or hundreds of KiB costs less time than the allocation of its buffer
 * and the garbage collection that follows.
 *
 * A buffer goes back only when nothing can read or write it any more: after the write that sent it has succeeded. Were
 * it earlier, one client could get another's bytes. One that is never given back is collected like any other.
 */

export interface BufferPool {
  readonly acquire: () => Buffer<ArrayBuffer>
  readonly release: (buffer: Buffer<ArrayBuffer>) => void
}

/**
 * A pool of buffers of `size` bytes, of which at most `spare` are kept while nobody uses them. Their contents are what
 * was in them before.
 */
export const make = (options: { readonly size: number; readonly spare: number }): BufferPool => {
  const spare: Array<Buffer<ArrayBuffer>> = []
  return {
    acquire: () => spare.pop() ?? Buffer.allocUnsafeSlow(options.size),
    release: (buffer) => {
      if (spare.length < options.spare) spare.push(buffer)
    }
  }
}
