/**
 * The samples of a track: frames of video, or packets of audio, in decoding order.
 */

/** Whole numbers, in as little memory as the largest of them permits. */
export type Numbers = Uint32Array | Float64Array

/** Returns memory for so many numbers, none of which is larger than `most`. */
export const numbers = (length: number, most: number): Numbers =>
  most < 2 ** 32 ? new Uint32Array(length) : new Float64Array(length)

/** One entry of each array for each sample. Times are ticks of the track's time scale. */
export interface Samples {
  readonly count: number
  /** Where the samples begin in the file. */
  readonly offsets: Numbers
  /** Bytes. */
  readonly sizes: Uint32Array
  /** When the samples are decoded, from the beginning of the track. */
  readonly times: Numbers
  /** How long after its decoding a sample is shown. */
  readonly delays: Int32Array
  /** 1 for a sample that needs no other, otherwise 0. */
  readonly syncs: Uint8Array
  /** When the last sample ends. */
  readonly end: number
  /** Whether it is known that no sample has a delay, and that their times increase. Most loops over all samples are not needed then. */
  readonly isPlain: boolean
  /** Whether it is known that each sample is behind the one before in the file. */
  readonly isOrdered: boolean
}

/** No samples: those of a track that is only described. */
export const none: Samples = {
  count: 0,
  offsets: new Float64Array(),
  sizes: new Uint32Array(),
  times: new Float64Array(),
  delays: new Int32Array(),
  syncs: new Uint8Array(),
  end: 0,
  isPlain: true,
  isOrdered: true
}
