/**
 * Collects the bytes of a web stream.
 */

/** Returns all bytes of a stream of `length` bytes. They must fit into memory. */
export const collectBytes = async (
  stream: ReadableStream<Uint8Array>,
  length: number
): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = new Uint8Array(length)
  let offset = 0
  for await (const chunk of stream) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
