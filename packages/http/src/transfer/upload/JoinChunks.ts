/**
 * Joins small chunks of a content. Each chunk takes some 100 bytes of memory besides its own, and time in everything that it passes.
 */

/** Chunks are joined if they have fewer bytes on average. */
const minAverage = 1024

/** Returns the same bytes, in one chunk if the chunks are small. */
export const joinSmall = (chunks: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
  if (chunks.length <= 1) return chunks
  let size = 0
  for (const chunk of chunks) size += chunk.length
  return size < chunks.length * minAverage ? [Buffer.concat(chunks, size)] : chunks
}
