/**
 * Writes the media playlist of a packaged presentation (RFC 8216, section 4.3).
 */
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"

const write = (
  durations: ReadonlyArray<number>,
  tag: string,
  entry: (index: number) => ReadonlyArray<string>
): string =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    `#EXT-X-TARGETDURATION:${Math.max(1, ...durations.map(Math.round))}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-PLAYLIST-TYPE:VOD",
    tag,
    ...durations.flatMap((seconds, index) => [
      `#EXTINF:${seconds.toFixed(6)},`,
      ...entry(index),
      StreamFiles.segment("", index)
    ]),
    "#EXT-X-ENDLIST",
    ""
  ].join("\n")

/** `durations` are those of the segments, in seconds. */
export const render = (durations: ReadonlyArray<number>): string =>
  write(durations, "#EXT-X-INDEPENDENT-SEGMENTS", () => [])

/**
 * Writes the playlist of the keyframes with which the segments begin (4.3.3.6). `bytes` are those of each segment up to the end of its
 * keyframe: the tables before it are what a decoder needs.
 */
export const renderKeyframes = (durations: ReadonlyArray<number>, bytes: Float64Array): string =>
  write(durations, "#EXT-X-I-FRAMES-ONLY", (index) => [`#EXT-X-BYTERANGE:${bytes[index] ?? 0}@0`])
