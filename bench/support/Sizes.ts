/**
 * How much of everything.
 */
export interface Sizes {
  /** Rounds of small requests, and requests in each. */
  readonly rounds: number
  readonly requests: number
  /** Small requests that end on the disk. */
  readonly writes: number
  /** The size of a large file, and the rounds that move it. */
  readonly largeBytes: number
  readonly largeRounds: number
  /** Files in the small and in the large bucket. */
  readonly fewFiles: number
  readonly manyFiles: number
  /** List requests in a round. */
  readonly pages: number
  readonly starts: number
  readonly video: {
    /** Of the videos that are encoded. */
    readonly seconds: number
    readonly rounds: number
    /** Of the videos whose first segment is waited for. */
    readonly minutes: ReadonlyArray<number>
    readonly starts: number
  }
  readonly mirrors: {
    readonly rounds: number
    /** Small files that are copied, and large ones of so many bytes. */
    readonly small: number
    readonly large: number
    readonly largeBytes: number
    /** Files of a bucket that a mirror is made of. */
    readonly backfill: number
    readonly idleSeconds: number
  }
}

export const gib = 1024 ** 3

export const full: Sizes = {
  rounds: 7,
  requests: 8000,
  writes: 2000,
  largeBytes: gib,
  largeRounds: 3,
  fewFiles: 10_000,
  manyFiles: 1_000_000,
  pages: 600,
  starts: 5,
  video: { seconds: 60, rounds: 3, minutes: [1, 5, 60], starts: 5 },
  mirrors: { rounds: 4, small: 2000, large: 4, largeBytes: 256 * 1024 ** 2, backfill: 200_000, idleSeconds: 60 }
}

/** To see that everything runs; the ratios are rough. */
export const quick: Sizes = {
  rounds: 3,
  requests: 1000,
  writes: 200,
  largeBytes: 64 * 1024 ** 2,
  largeRounds: 1,
  fewFiles: 4000,
  manyFiles: 40_000,
  pages: 150,
  starts: 2,
  video: { seconds: 10, rounds: 1, minutes: [1, 5], starts: 2 },
  mirrors: { rounds: 1, small: 400, large: 2, largeBytes: 64 * 1024 ** 2, backfill: 20_000, idleSeconds: 10 }
}

/** Bytes of a small file. */
export const smallBytes = 4096

/**
 * Connections that small requests come over. With many, the kernel and libuv's threads are woken once for several
 * requests, which makes a bare server cheaper by half; with one, each request pays for all of it.
 */
export const connections = 16

/** Free space that a run with these sizes needs, in bytes: contents that were replaced stay for a while. */
export const spaceNeeded = ({ largeBytes, manyFiles }: Sizes): number => 5 * largeBytes + 1024 * manyFiles
