/**
 * Contents whose bytes are all in memory. A step between the source of an upload and its store that knows the bytes checks, hashes or
 * writes them at once. For 4 KiB, reading them through a stream takes longer than that.
 *
 * The mark belongs to the stream: a step that transforms the stream passes no mark on, and the next one then reads the stream.
 */
import * as Stream from "effect/Stream"

const contents = new WeakMap<object, Uint8Array>()

/** Returns the stream of these bytes, which must not change any more. */
export const stream = (bytes: Uint8Array): Stream.Stream<Uint8Array> => {
  const content = Stream.succeed(bytes)
  contents.set(content, bytes)
  return content
}

/** Returns all bytes of a content; undefined for any other stream than one of `stream`. */
export const bytesOf = (content: Stream.Stream<Uint8Array, unknown, unknown>): Uint8Array | undefined =>
  contents.get(content)
