/**
 * The texts of captions as players read them: WebVTT (W3C), and for HLS a playlist.
 */

/** Time 0 of the text is time 0 of the MPEG-TS segments (RFC 8216, section 3.5). */
const header = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000"

/** Returns a WebVTT file with these cues. */
export const toWebVtt = (cues: string): string => `${header}\n\n${cues}\n`

/** Returns a media playlist with a whole text as its only segment. `duration`: that of the presentation, in seconds. */
export const playlist = (file: string, duration: number): string =>
  [
    "#EXTM3U",
    "#EXT-X-VERSION:6",
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.ceil(duration))}`,
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-PLAYLIST-TYPE:VOD",
    `#EXTINF:${duration.toFixed(6)},`,
    file,
    "#EXT-X-ENDLIST",
    ""
  ].join("\n")
