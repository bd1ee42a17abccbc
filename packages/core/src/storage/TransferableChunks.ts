/**
 * Chunks whose memory may be released as soon as they are stored.
 *
 * The memory of a chunk is outside of the garbage collector's heap, so the collector notices it late: it lets a hundred
 * MiB of an upload accumulate, and then spends a third of the upload's processor time on them. A source marks the
 * chunks that it no longer uses as transferable; a store detaches their memory once they are written.
 *
 * The mark belongs to the object, not to its bytes: a view that is cut from a marked chunk is not marked. Code between
 * source and store that cuts, copies or replaces chunks therefore passes no marks on, and a store that does not know of
 * marks releases nothing. Code between source and store must keep neither a marked chunk nor a view of it after it has
 * passed the chunk on.
 */
const transferable = new WeakSet<Uint8Array>()

/** Bytes of the smallest chunk that is marked. A smaller one costs the collector no more than the mark would. */
const minBytes = 16 * 1024

/**
 * Returns the memory of a chunk that is a view of all of it. Undefined for a chunk from a pool, whose memory holds
 * bytes of others, and for one whose memory was transferred already.
 */
const ownMemory = ({ buffer, byteLength }: Uint8Array): ArrayBuffer | undefined =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && !buffer.detached ? buffer : undefined

/** Marks a chunk as transferable. No other view of its memory may be in use, then or later. */
export const markTransferable = (chunk: Uint8Array): void => {
  if (chunk.byteLength >= minBytes && ownMemory(chunk) !== undefined) transferable.add(chunk)
}

/** Releases the memory of the chunks that are marked, which are empty then. Leaves other chunks unchanged. */
export const detach = (chunks: ReadonlyArray<Uint8Array>): void => {
  for (const chunk of chunks) if (transferable.delete(chunk)) ownMemory(chunk)?.transfer(0)
}
