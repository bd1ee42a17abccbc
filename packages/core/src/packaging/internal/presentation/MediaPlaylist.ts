/**
 * Writes the media playlist of a packaged presentation (RFC 8216, section 4.3).
 */
import * as HevcFiles from "../../../transcoding/hevc/HevcFiles.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"

const independent = "#EXT-X-INDEPENDENT-SEGMENTS"

const write = (
  durations: ReadonlyArray<number>,
  tags: ReadonlyArray<string>,
  entry: (index: number) => ReadonlyArray<string>
): string =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    `#EXT-X-TARGETDURATION:${Math.max(1, ...durations.map(Math.round))}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-PLAYLIST-TYPE:VOD",
    ...tags,
    ...durations.flatMap((seconds, index) => [`#EXTINF:${seconds.toFixed(6)},`, ...entry(index)]),
    "#EXT-X-ENDLIST",
    ""
  ].join("\n")

/** `durations` are those of the segments, in seconds. */
export const render = (durations: ReadonlyArray<number>): string =>
  write(durations, [independent], (index) => [StreamFiles.segment("", index)])

/** The same for fragmented MP4, whose segments are in a folder. */
export const renderFragments = (durations: ReadonlyArray<number>, folder: string): string =>
  write(durations, [independent, `#EXT-X-MAP:URI="${HevcFiles.init(folder)}"`], (index) => [
    HevcFiles.chunk(folder, index + 1)
  ])

/**
 * Writes the playlist of the keyframes with which the segments begin (4.3.3.6). `bytes` are those of each segment up to the end of its
 * keyframe: the tables before it are what a decoder needs.
 */
export const renderKeyframes = (durations: ReadonlyArray<number>, bytes: Float64Array): string =>
  write(durations, ["#EXT-X-I-FRAMES-ONLY"], (index) => [
    `#EXT-X-BYTERANGE:${bytes[index] ?? 0}@0`,
    StreamFiles.segment("", index)
  ])
