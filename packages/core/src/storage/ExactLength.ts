/**
 * Bodies that must not end short, as they do where a connection is cut.
 */
import * as Stream from "effect/Stream"

/** The same bytes; at the end it fails with `wrong`, which is told how many there were, unless they are `length`. */
export const exactLength = <E, R>(
  body: Stream.Stream<Uint8Array, E, R>,
  length: number,
  wrong: (count: number) => E
): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    let count = 0
    return body.pipe(
      Stream.map((chunk) => {
        count += chunk.byteLength
        return chunk
      }),
      Stream.concat(Stream.suspend(() => (count === length ? Stream.empty : Stream.fail(wrong(count)))))
    )
  })
