/**
 * Writes the media playlist of a packaged presentation (RFC 8216, section 4.3).
 */
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"

/** `durations` are those of the segments, in seconds. */
export const render = (durations: ReadonlyArray<number>): string =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    `#EXT-X-TARGETDURATION:${Math.max(1, ...durations.map(Math.round))}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-PLAYLIST-TYPE:VOD",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...durations.flatMap((seconds, index) => [`#EXTINF:${seconds.toFixed(6)},`, StreamFiles.segment("", index)]),
    "#EXT-X-ENDLIST",
    ""
  ].join("\n")
