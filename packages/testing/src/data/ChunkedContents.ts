/**
 * Contents that come in chunks of every kind, for what cuts them to pieces of one size.
 */

/** Bytes of a piece. */
export const partBytes = 100_000

/** Bytes of a content, and of its chunks by turns. */
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
