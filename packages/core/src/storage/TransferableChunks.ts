/**
 * Chunks that their source gives away: whoever has stored one may free its memory at once. The garbage collector would
 * find it much later, since the bytes stand outside of its heap: it lets a hundred MiB of an upload pile up, and then
 * spends a third of the upload's processor time on them.
 *
 * A chunk is known by the object, not by its bytes: a view that was cut from it has not been given. So whoever cuts,
 * copies or replaces chunks on the way gives nothing away, and a store that knows nothing of this frees nothing. What
 * stands between source and store must not keep a given chunk, nor a view of it, once it has handed it on.
 */
const given = new WeakSet<Uint8Array>()

/** Smaller ones cost the collector no more than this would, in bytes. */
const worthwhile = 16 * 1024

/** The memory of a chunk that is all of it; a pool's holds what belongs to others. None for one that has moved on. */
const ownMemory = ({ buffer, byteLength }: Uint8Array): ArrayBuffer | undefined =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && !buffer.detached ? buffer : undefined

/** Gives a chunk away: one of which nobody else has a view, or will ever get one. */
export const markTransferable = (chunk: Uint8Array): void => {
  if (chunk.byteLength >= worthwhile && ownMemory(chunk) !== undefined) given.add(chunk)
}

/** Frees those chunks that were given away, which are empty then, and leaves the others as they are. */
export const detach = (chunks: ReadonlyArray<Uint8Array>): void => {
  for (const chunk of chunks) if (given.delete(chunk)) ownMemory(chunk)?.transfer(0)
}
