/**
 * The names of the files that a conversion makes, relative to its output directory.
 *
 * HLS: `playlist.m3u8`, and the best rendition's segments `index0.ts`, `index1.ts`, … beside it. With several renditions
 * `playlist.m3u8` is the multivariant playlist over `<name>.m3u8` files, such as `720p.m3u8`, and the segments of the lower
 * renditions are `<name>/index0.ts`, `<name>/index1.ts`, …
 *
 * DASH: `manifest.mpd`; per representation `init-<id>.m4s` and the segments `chunk-<id>-1.m4s`, `chunk-<id>-2.m4s`, … The
 * representations of the picture have the ids 0, 1, … from the best on, the sound has the one after them.
 *
 * Beside both stands `poster.jpg`, a still of a video, which is made on its own.
 */
import type { Format, Rendition } from "./Presentation.ts"

/** What a player asks for first. */
export const entry = (format: Format): string => (format === "hls" ? "playlist.m3u8" : "manifest.mpd")

/** The playlist of one of several HLS renditions. */
export const mediaPlaylist = (rendition: Pick<Rendition, "name">): string => `${rendition.name}.m3u8`

/** The directory of an HLS rendition's segments: empty for the best, else its name and a slash. */
export const segmentPrefix = (rendition: Pick<Rendition, "name">, isBest: boolean): string =>
  isBest ? "" : `${rendition.name}/`

/** An HLS segment, counted from 0. */
export const segment = (prefix: string, index: number): string => `${prefix}index${index}.ts`

/** The initialization segment of a DASH representation. */
export const init = (representation: number): string => `init-${representation}.m4s`

/** A media segment of a DASH representation, counted from 1. */
export const chunk = (representation: number, number: number): string => `chunk-${representation}-${number}.m4s`

/** The still of a video, beside what a conversion makes: no `isName`. */
export const poster = "poster.jpg"

const number = "(?:0|[1-9]\\d{0,8})"
const names: { readonly [format in Format]: RegExp } = {
  hls: new RegExp(`^(?:(?:playlist|[1-9]\\d{0,3}p)\\.m3u8|(?:[1-9]\\d{0,3}p/)?index${number}\\.ts)$`),
  dash: new RegExp(`^(?:manifest\\.mpd|init-${number}\\.m4s|chunk-${number}-${number}\\.m4s)$`)
}

/** Whether a conversion could have made a file of this name. No such name leads out of its directory. */
export const isName = (format: Format, name: string): boolean => names[format].test(name)

/** Whether it is a playlist or a manifest, which may change while the conversion runs; segments never do. */
export const isPlaylist = (name: string): boolean => name.endsWith(".m3u8") || name.endsWith(".mpd")

/** The media type (RFC 8216, section 4; ISO/IEC 23009-1, annex C). */
export const contentType = (name: string): string => {
  if (name.endsWith(".m3u8")) return "application/vnd.apple.mpegurl"
  if (name.endsWith(".mpd")) return "application/dash+xml"
  if (name.endsWith(".jpg")) return "image/jpeg"
  return name.endsWith(".ts") ? "video/mp2t" : "video/mp4"
}
