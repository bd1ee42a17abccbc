/**
 * Bytes at once, from a web stream whose length is known.
 */

/** All bytes of a stream; they must fit into memory. */
export const whole = async (stream: ReadableStream<Uint8Array>, length: number): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = new Uint8Array(length)
  let at = 0
  for await (const chunk of stream) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
