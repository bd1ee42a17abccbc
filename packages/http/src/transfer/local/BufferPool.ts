/**
 * Pools of reusable buffers. For a response of tens or hundreds of KiB, allocating a buffer and collecting it as garbage
 * takes more time than reusing one.
 *
 * A buffer may be released only when nothing can read or write it any more: after the write that sent it has succeeded. If
 * it were released earlier, one client could receive another's bytes. A buffer that is never released is garbage-collected.
 */

export interface BufferPool {
  /** A buffer whose contents are undefined. */
  readonly acquire: () => Buffer<ArrayBuffer>
  /** Returns a buffer to the pool. */
  readonly release: (buffer: Buffer<ArrayBuffer>) => void
}

/**
 * A pool of buffers.
 *
 * @param options.size The size of each buffer, in bytes.
 * @param options.spare The most buffers that the pool keeps while they are unused.
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
