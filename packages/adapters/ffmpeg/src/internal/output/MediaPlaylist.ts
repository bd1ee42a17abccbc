/**
 * Parses and writes HLS media playlists (RFC 8216, section 4.3.2).
 */

interface Entry {
  readonly uri: string
  /** Seconds. */
  readonly duration: number
}

/** Returns a playlist whose target duration is at least this many seconds. It must not grow with the playlist (section 6.2.1). */
export const withTarget = (text: string, seconds: number): string =>
  text.replace(/^(#EXT-X-TARGETDURATION:)(\d+)$/m, (_, tag: string, target) => tag + Math.max(Number(target), seconds))

/** Writes a playlist that grows until `isEnd`. */
export const render = (
  segments: ReadonlyArray<{ readonly name: string; readonly duration: number }>,
  isEnd: boolean
): string =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    `#EXT-X-TARGETDURATION:${Math.max(1, ...segments.map(({ duration }) => Math.round(duration)))}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-PLAYLIST-TYPE:EVENT",
    "#EXT-X-INDEPENDENT-SEGMENTS",
    ...segments.flatMap(({ duration, name }) => [`#EXTINF:${duration.toFixed(6)},`, name]),
    ...(isEnd ? ["#EXT-X-ENDLIST"] : []),
    ""
  ].join("\n")

/** Returns the segments of a playlist, in its order. */
export const entries = (text: string): ReadonlyArray<Entry> => {
  const found: Array<Entry> = []
  let duration = 0
  for (const line of text.split("\n")) {
    if (line.startsWith("#EXTINF:")) duration = Number.parseFloat(line.slice(8))
    else if (line !== "" && !line.startsWith("#")) found.push({ uri: line, duration })
  }
  return found
}
