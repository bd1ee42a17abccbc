/**
 * Parses HLS media playlists (RFC 8216, section 4.3.2).
 */

interface Entry {
  readonly uri: string
  /** Seconds. */
  readonly duration: number
}

/** Returns a playlist whose target duration is at least this many seconds. It must not grow with the playlist (section 6.2.1). */
export const withTarget = (text: string, seconds: number): string =>
  text.replace(/^(#EXT-X-TARGETDURATION:)(\d+)$/m, (_, tag: string, target) => tag + Math.max(Number(target), seconds))

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
