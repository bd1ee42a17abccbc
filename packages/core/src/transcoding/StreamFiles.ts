/**
 * Names of the files of a converted stream, relative to the output directory of the conversion.
 *
 * HLS: `playlist.m3u8`, and beside it the segments of the best rendition, `index0.ts`, `index1.ts`, … With several
 * renditions, `playlist.m3u8` is the multivariant playlist over files `<name>.m3u8`, such as `720p.m3u8`, and the segments of
 * the lower renditions are `<name>/index0.ts`, `<name>/index1.ts`, … All of them contain the default audio. Other audio
 * renditions, if there are any, are `<name>.m3u8` and `<name>/index0.ts`, …, as in `audio1.m3u8`. Then `playlist.m3u8` is a
 * multivariant playlist, too.
 *
 * DASH: `manifest.mpd`; for each representation `init-<id>.m4s` and the segments `chunk-<id>-1.m4s`, `chunk-<id>-2.m4s`, …
 * The video representations have the ids 0, 1, …, the best first; the audio renditions have the ids after them.
 *
 * The lower renditions that join a copy have their segments in directories in both formats: `<name>/index0.ts`, … in HLS,
 * `<name>/init.m4s` and `<name>/chunk1.m4s`, `<name>/chunk2.m4s`, … in DASH, where `<name>` is the id of the representation, too.
 *
 * Both: for captions `<name>.vtt`, as in `captions0.vtt`; HLS also has `captions0.m3u8`. They are written at the end. Captions that are
 * attached to the content have the names `captions-<UUID>`. The conversion does not write them: they are made when they are read, and so
 * is `media.m3u8`, the only media playlist of a presentation that has a multivariant playlist for attached captions alone.
 *
 * A shared presentation (`Presentation.isShared`) of stored tracks has the files of DASH, the playlists of HLS and `tracks.json`
 * (`packaging/SharedTracks`), whatever its format is. Its segments of HLS are made when they are read, from the segments of DASH with the
 * same number. The ladder of a copy is that of DASH, too: `<name>/index0.ts`, … of HLS are made of `<name>/chunk1.m4s`, … and of the default
 * audio of the copy.
 *
 * A packaged presentation (`Presentation.isPackaged`) has `index.bin`, by which the segments of the best rendition are cut from the content,
 * and its playlists or its manifest. HLS also has `iframes.m3u8`, the playlist of its keyframes, for the multivariant playlist that its
 * ladder makes. If it is shared, it has the playlists and the manifest, and its ladder is that of DASH: `<name>/index0.ts`, … of HLS are made
 * when they are read, from `<name>/chunk1.m4s`, … and the audio of the content.
 *
 * A shared presentation may have H.265 that is cut from the content (`hevc/HevcFiles`), and AV1 that is encoded behind it (`av1/Av1Files`).
 *
 * Both: `poster.jpg`, one frame of the video, which `Transcoder.poster` writes.
 */
import * as Arr from "effect/Array"
import type { AudioRendition } from "./AudioRendition.ts"
import type { CaptionRendition } from "./CaptionRendition.ts"
import * as Av1Files from "./av1/Av1Files.ts"
import * as HevcFiles from "./hevc/HevcFiles.ts"
import type { Format, Presentation, Rendition } from "./Presentation.ts"

/** The playlist or manifest that a player loads first. */
export const entry = (format: Format): string => (format === "hls" ? "playlist.m3u8" : "manifest.mpd")

/** The name of an HLS rendition's files. A presentation of audio alone has the name of its default audio. */
const fileName = ({ name }: Pick<Rendition, "name">): string => (name === "audio" ? "audio0" : name)

/** The media playlist of one of several HLS renditions. */
export const mediaPlaylist = (rendition: Pick<Rendition, "name">): string => `${fileName(rendition)}.m3u8`

/** The directory of an HLS rendition's segments: empty for the best rendition, otherwise its name with a slash. */
export const segmentPrefix = (rendition: Pick<Rendition, "name">, isBest: boolean): string =>
  isBest ? "" : `${rendition.name}/`

/** An HLS segment; `index` counts from 0. */
export const segment = (prefix: string, index: number): string => `${prefix}index${index}.ts`

/** The files of one HLS rendition. */
export interface HlsRendition {
  readonly rendition: Rendition
  /** Name of its media playlist. */
  readonly playlist: string
  /** Directory of its segments, as `segmentPrefix` returns it. */
  readonly prefix: string
}

/** The files of an HLS audio rendition that is not the default. */
export interface HlsAudio {
  readonly rendition: AudioRendition
  readonly playlist: string
  readonly prefix: string
}

/** The files of captions. */
export interface CaptionFiles {
  readonly rendition: CaptionRendition
  /** Name of the HLS playlist of the text. */
  readonly playlist: string
  readonly text: string
}

type Renditions = Pick<Presentation, "audio" | "av1" | "captions" | "hevc" | "renditions">

/** Whether the entry playlist of an HLS presentation is a multivariant playlist. */
export const hasMultivariant = ({ audio, av1, captions, hevc, renditions }: Renditions): boolean =>
  renditions.length > 1 || audio !== undefined || captions !== undefined || hevc !== undefined || av1 !== undefined

/** Returns the files of each HLS rendition. The playlist of a single rendition is the entry playlist. */
export const hlsRenditions = (presentation: Renditions): Arr.NonEmptyReadonlyArray<HlsRendition> =>
  Arr.map(presentation.renditions, (rendition, index) => ({
    rendition,
    playlist: hasMultivariant(presentation) ? mediaPlaylist(rendition) : entry("hls"),
    prefix: segmentPrefix(rendition, index === 0)
  }))

/** Returns the files of the HLS audio renditions, without the default. */
export const hlsAudio = ({ audio = [] }: Pick<Presentation, "audio">): ReadonlyArray<HlsAudio> =>
  audio.slice(1).map((rendition) => ({
    rendition,
    playlist: mediaPlaylist(rendition),
    prefix: segmentPrefix(rendition, false)
  }))

/** Returns the files of the captions. */
export const captionFiles = ({ captions = [] }: Pick<Presentation, "captions">): ReadonlyArray<CaptionFiles> =>
  captions.map((rendition) => ({
    rendition,
    playlist: `${rendition.name}.m3u8`,
    text: `${rendition.name}.vtt`
  }))

/** The name of captions that are attached to the content, by their id. */
export const attachedName = (id: string): string => `captions-${id.slice(4)}`

/** Returns the id of the attached captions of which a file has this name; undefined if it is no such name. */
export const attachedId = (name: string): string | undefined => {
  const [, uuid] = /^captions-([0-9a-f-]{36})\.(?:vtt|m3u8)$/.exec(name) ?? []
  return uuid === undefined ? undefined : `cap_${uuid}`
}

/** The media playlist of the only rendition, if the entry playlist is a multivariant one for attached captions alone. */
export const onlyMedia = "media.m3u8"

/** The playlist of the keyframes of a packaged presentation (RFC 8216, section 4.3.3.6). They are ranges of its segments. */
export const keyframes = "iframes.m3u8"

/** Number of DASH representations: one for each video rendition, and one for each audio rendition. */
export const dashRepresentations = ({
  audio = [],
  hasAudio,
  hasVideo,
  renditions
}: Pick<Presentation, "audio" | "hasAudio" | "hasVideo" | "renditions">): number =>
  (hasVideo ? renditions.length : 0) + (hasAudio ? Math.max(audio.length, 1) : 0)

/** The initialization segment of a DASH representation. */
export const init = (representation: number): string => `init-${representation}.m4s`

/** A media segment of a DASH representation; `number` counts from 1. */
export const chunk = (representation: number, number: number): string => `chunk-${representation}-${number}.m4s`

/** The initialization segment of a lower rendition of DASH that joins a copy. */
export const ladderInit = ({ name }: Pick<Rendition, "name">): string => `${name}/init.m4s`

/** A media segment of such a rendition; `number` counts from 1. A template has `$Number$` in its place. */
export const ladderChunk = ({ name }: Pick<Rendition, "name">, number: number | "$Number$"): string =>
  `${name}/chunk${number}.m4s`

/** The poster. `isName` is false for it, since `Transcoder.convert` does not write it. */
export const poster = "poster.jpg"

/** The WebVTT file of the storyboard (`Storyboard`), which `Transcoder.convert` does not write either. */
export const storyboard = "storyboard.vtt"

/** One of the sheets of the storyboard; `index` counts from 0. */
export const storyboardSheet = (index: number): string => `storyboard${index}.jpg`

/** Whether this is the name of a file of the storyboard. */
export const isOfStoryboard = (name: string): boolean => /^storyboard(?:\.vtt|\d{1,2}\.jpg)$/.test(name)

const number = "(?:0|[1-9]\\d{0,8})"
const lines = "[1-9]\\d{0,3}p"
const folder = `(?:${lines}|audio[1-9]?\\d)`
const captions = "captions(?:[1-9]?\\d|-[0-9a-f-]{36})"
const names: { readonly [format in Format]: RegExp } = {
  hls: new RegExp(
    `^(?:(?:playlist|media|iframes|${folder}|${captions}|${HevcFiles.patterns.playlists}|${Av1Files.patterns.playlists})\\.m3u8|${captions}\\.vtt|(?:${folder}/)?index${number}\\.ts|${HevcFiles.patterns.video}|${HevcFiles.patterns.audio}|${Av1Files.patterns.video})$`
  ),
  dash: new RegExp(
    `^(?:manifest\\.mpd|${captions}\\.vtt|init-${number}\\.m4s|chunk-${number}-${number}\\.m4s|${lines}/(?:init|chunk${number})\\.m4s|${HevcFiles.patterns.video}|${Av1Files.patterns.video})$`
  )
}

const transportName = new RegExp(`^((?:${folder}/)?)index(${number})\\.ts$`)

/** Whether a conversion may have written a file of this name. No such name leads out of the output directory. */
export const isName = (format: Format, name: string): boolean => names[format].test(name)

/** A segment of a presentation with one rendition of video. */
export interface SegmentName {
  /** Of DASH; 0 for HLS. */
  readonly representation: number
  /** Counts from 0; undefined for the initialization segment. */
  readonly index: number | undefined
}

/** Returns what the name of a segment of the best rendition means; undefined for other names. */
export const parseSegment = (name: string): SegmentName | undefined => {
  const [, index] = /^index(\d+)\.ts$/.exec(name) ?? []
  if (index !== undefined) return { representation: 0, index: Number(index) }
  const [, representation, order] = /^(?:init|chunk)-(\d+)(?:-(\d+))?\.m4s$/.exec(name) ?? []
  if (representation === undefined) return undefined
  return { representation: Number(representation), index: order === undefined ? undefined : Number(order) - 1 }
}

/**
 * The index from which the segments of a packaged presentation are cut (`packaging/SegmentIndex`). It is stored beside the playlists.
 * `isName` is false for it, since no player reads it.
 */
export const index = "index.bin"

/** How the segments of HLS are made from those of a shared presentation. It is stored beside them. `isName` is false for it, too. */
export const tracks = "tracks.json"

/** A rendition of HLS of a shared presentation, and the representations of DASH that have its tracks. */
export interface SharedRendition {
  /** Directory of its segments, as `segmentPrefix` returns it. */
  readonly prefix: string
  readonly video: number | null
  readonly audio: number | null
}

/** Returns the renditions of HLS of a shared presentation: those with the default audio, then the other audio. */
export const sharedRenditions = (
  presentation: Renditions & Pick<Presentation, "hasAudio" | "hasVideo">
): ReadonlyArray<SharedRendition> => {
  const { hasAudio, hasVideo, renditions } = presentation
  const audio = hasVideo ? renditions.length : 0
  return [
    ...hlsRenditions(presentation).map(({ prefix }, index) => ({
      prefix,
      video: hasVideo ? index : null,
      audio: hasAudio ? audio : null
    })),
    ...hlsAudio(presentation).map(({ prefix }, index) => ({ prefix, video: null, audio: audio + 1 + index }))
  ]
}

/** The directory and the number of a segment of HLS. */
export interface TransportName {
  readonly prefix: string
  readonly index: number
}

/** Returns what the name of a segment of HLS means; undefined for other names. */
export const parseTransport = (name: string): TransportName | undefined => {
  const [, prefix, index] = transportName.exec(name) ?? []
  return prefix === undefined ? undefined : { prefix, index: Number(index) }
}

/** A segment of HLS of a lower rendition of video. */
export interface RungName extends Pick<Rendition, "name"> {
  /** Counts from 0. */
  readonly index: number
}

const rungName = new RegExp(`^(${lines})/index(${number})\\.ts$`)

/** Returns what the name of a segment of HLS of a lower rendition means; undefined for other names. */
export const parseRung = (name: string): RungName | undefined => {
  const [, rendition, index] = rungName.exec(name) ?? []
  return rendition === undefined ? undefined : { name: rendition, index: Number(index) }
}

/** Returns the names of the segments of DASH from which a segment of HLS is made. */
export const sharedParts = ({ audio, video }: SharedRendition, index: number): ReadonlyArray<string> =>
  [video, audio].flatMap((representation) => (representation === null ? [] : [chunk(representation, index + 1)]))

/** Whether this is the name of a playlist or manifest, which may change while the conversion runs. Segments never change. */
export const isPlaylist = (name: string): boolean => name.endsWith(".m3u8") || name.endsWith(".mpd")

/** The media type of a file (RFC 8216, section 4; ISO/IEC 23009-1, annex C). */
export const contentType = (name: string): string => {
  if (name.endsWith(".m3u8")) return "application/vnd.apple.mpegurl"
  if (name.endsWith(".mpd")) return "application/dash+xml"
  if (name.endsWith(".jpg")) return "image/jpeg"
  if (name.endsWith(".vtt")) return "text/vtt; charset=utf-8"
  return name.endsWith(".ts") ? "video/mp2t" : "video/mp4"
}
