/**
 * Limits of a file that the packager reads. With them, an index takes at most 38 MB, and some 150 MB while it is built.
 */

/** Samples of all tracks: four hours of 50 frames per second with AAC of 48 kHz have 1.4 million. */
export const maxSamples = 1_500_000

/** Bytes of one sample. The packager keeps one in memory as a whole. */
export const maxSampleBytes = 4 * 1024 * 1024

/** Bytes of the box `moov`: the tables have at most some 20 bytes for each sample. */
export const maxMovieBytes = 32 * 1024 * 1024

/** Bytes of one box `moof`. */
export const maxFragmentBytes = 4 * 1024 * 1024

/** Bytes of the box `moov` and of all boxes `moof`. Four hours in fragments of one second have some 43 MB. */
export const maxIndexBytes = 64 * 1024 * 1024

/** Boxes directly in another one. A `trak` has some ten, a `traf` one for each run of samples. */
export const maxChildren = 1000

/** Boxes outside all others. Eight hours in fragments of one second have 115,200. */
export const maxTopLevelBoxes = 150_000

export const maxTracks = 64
