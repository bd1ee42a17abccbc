/**
 * Contents in chunks of many sizes, for tests of code that cuts them into parts of one size.
 */

/** Bytes of a part. */
export const partBytes = 100_000

/** Bytes of a content, and the sizes of its chunks, which repeat. */
export const cases: ReadonlyArray<readonly [size: number, chunks: ReadonlyArray<number>]> = [
  [0, [1]],
  [1, [1]],
  [5000, [1]],
  [99_999, [7, 1000]],
  [100_000, [100_000]],
  [100_000, [33_333]],
  [100_001, [100_001]],
  [200_000, [200_000]],
  [250_000, [65_536]],
  [300_000, [100_000]],
  [999_999, [999_999]],
  [700_007, [1, 150_000, 3]]
]
