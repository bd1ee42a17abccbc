/**
 * Names of the files of the AV1 that is encoded behind a shared presentation (`Presentation.av1`), relative to those of the stream.
 *
 * Both formats: the segments `1080p-av1/init.m4s` and `1080p-av1/chunk1.m4s`, `1080p-av1/chunk2.m4s`, …, as long as those of the H.264, and with
 * the times of HLS. HLS also has the playlists `1080p-av1.m3u8` and, for each audio rendition, `av1-audio0.m3u8`, whose segments
 * `av1-audio0/init.m4s` and `av1-audio0/chunk1.m4s`, … are those of audio of DASH with the times of HLS (`hevc/HevcFiles`).
 */

/** What the audio renditions are named after, and the audio group of HLS. */
export const name = "av1"

/** The name of the rendition of a size, of its representation in DASH and of the directory of its segments, given that of its H.264. */
export const renditionName = (size: string): string => `${size}-${name}`

const lines = "[1-9]\\d{0,3}p"
const number = "(?:0|[1-9]\\d{0,8})"

/** What the names are, as parts of patterns. */
export const patterns = {
  playlists: `${lines}-${name}`,
  video: `${lines}-${name}/(?:init|chunk${number})\\.m4s`
}
