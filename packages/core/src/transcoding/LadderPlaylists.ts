/**
 * Adds the lower renditions of a copy to its playlists. They have a segment for each segment of the copy, with the same times, so that
 * the playlists of the copy apply to them, too.
 */
import type * as Arr from "effect/Array"
import * as MultivariantPlaylist from "./MultivariantPlaylist.ts"
import type { Presentation, Rendition } from "./Presentation.ts"
import * as StreamFiles from "./StreamFiles.ts"

/** Playlists or manifests, by their names. */
type Texts = ReadonlyMap<string, string>

/** A copy that is READY. */
export interface Copy {
  readonly presentation: Presentation
  readonly playlists: Texts
}

const timeline = /<SegmentTemplate timescale="(\d+)"([^>]*)>\s*(<SegmentTimeline>[\s\S]*?<\/SegmentTimeline>)/
const entries = /<S(?: t="(\d+)")? d="(\d+)"(?: r="(\d+)")?/g
const video = /[\t ]*<Representation id="0"[\s\S]*?<\/Representation>\n?/

/** The media playlist of the copy. */
const mediaOf = ({ playlists, presentation }: Copy): string => {
  const entry = playlists.get(StreamFiles.entry("hls")) ?? ""
  if (!MultivariantPlaylist.isMultivariant(entry)) return entry
  return playlists.get(StreamFiles.mediaPlaylist(presentation.renditions[0])) ?? ""
}

/** The representation of the copied video in its manifest. */
const representationOf = ({ playlists }: Copy): string => {
  const [found = ""] = video.exec(playlists.get(StreamFiles.entry("dash")) ?? "") ?? []
  return found
}

/** Returns how long the segments of the copied video last, in seconds. */
export const durations = (copy: Copy): ReadonlyArray<number> => {
  if (copy.presentation.format === "hls") {
    return [...mediaOf(copy).matchAll(/^#EXTINF:([\d.]+)/gm)].map(([, seconds]) => Number(seconds))
  }
  const [, timescale, , segments = ""] = timeline.exec(representationOf(copy)) ?? []
  return [...segments.matchAll(entries)].flatMap(([, , ticks, repeat = "0"]) =>
    Array.from({ length: Number(repeat) + 1 }, () => Number(ticks) / Number(timescale))
  )
}

const toVariant = (rendition: Rendition): MultivariantPlaylist.Variant => ({
  rendition,
  uri: StreamFiles.mediaPlaylist(rendition),
  peakBitrate: rendition.peakBitrate ?? rendition.bitrate,
  codecs: rendition.codecs ?? []
})

const keyframe = /^#EXTINF:([\d.]+),\n#EXT-X-BYTERANGE:(\d+)@0$/gm

/** Adds the playlist of the copy's keyframes, if it has one. */
const withKeyframes = (multivariant: string, { playlists, presentation }: Copy): string => {
  const text = playlists.get(StreamFiles.keyframes)
  if (text === undefined) return multivariant
  const [rendition] = presentation.renditions
  const rates = [...text.matchAll(keyframe)].map(([, seconds, bytes]) => (8 * Number(bytes)) / Number(seconds))
  const peakBitrate = Math.ceil(Math.max(1, ...rates))
  return MultivariantPlaylist.addKeyframes(multivariant, { rendition, uri: StreamFiles.keyframes, peakBitrate })
}

const joinHls = (copy: Copy, lower: ReadonlyArray<Rendition>): Texts => {
  const [best] = copy.presentation.renditions
  const entry = copy.playlists.get(StreamFiles.entry("hls")) ?? ""
  const media = mediaOf(copy)
  const variants: Arr.NonEmptyReadonlyArray<MultivariantPlaylist.Variant> = [toVariant(best), ...lower.map(toVariant)]
  const multivariant = MultivariantPlaylist.isMultivariant(entry)
    ? MultivariantPlaylist.withVariants(entry, [variants[0], ...variants.slice(1)])
    : MultivariantPlaylist.render(MultivariantPlaylist.startFirst(variants))
  const below = lower.map((rendition): [name: string, text: string] => [
    StreamFiles.mediaPlaylist(rendition),
    media.replaceAll(/^(?=[^#\n])/gm, StreamFiles.segmentPrefix(rendition, false))
  ])
  return new Map([
    [StreamFiles.mediaPlaylist(best), media],
    ...below,
    [StreamFiles.entry("hls"), withKeyframes(multivariant, copy)]
  ])
}

/** The times of segments in a manifest. */
interface Timeline {
  readonly timeScale: string
  /** The element `SegmentTimeline`. */
  readonly segments: string
  /** Ticks at which the presentation begins. */
  readonly offset: number
}

const toRepresentation = (rendition: Rendition, { offset, segments, timeScale }: Timeline): string => {
  const { bitrate, codecs = [], frameRate, height, name, peakBitrate, width } = rendition
  const rate = frameRate === null ? "" : ` frameRate="${Math.round(frameRate * 1000)}/1000"`
  const begin = offset === 0 ? "" : ` presentationTimeOffset="${offset}"`
  return [
    `<Representation id="${name}" mimeType="video/mp4" codecs="${codecs.join(",")}" bandwidth="${peakBitrate ?? bitrate}" width="${width}" height="${height}"${rate}>`,
    `\t<SegmentTemplate timescale="${timeScale}"${begin} initialization="${StreamFiles.ladderInit(rendition)}" media="${StreamFiles.ladderChunk(rendition, "$Number$")}" startNumber="1">`,
    `\t\t${segments}`,
    "\t</SegmentTemplate>",
    "</Representation>"
  ]
    .map((line) => `\t\t\t${line}\n`)
    .join("")
}

/** Returns a timeline that begins later by so many ticks. */
const shift = (segments: string, later: number): string =>
  segments.replaceAll(/ t="(\d+)"/g, (_, ticks: string) => ` t="${Number(ticks) + later}"`)

const joinDash = (copy: Copy, lower: ReadonlyArray<Rendition>): Texts => {
  const representation = representationOf(copy)
  const [, timescale = "1", attributes = "", segments = ""] = timeline.exec(representation) ?? []
  // The times of the lower renditions begin with the presentation.
  const [, offset = "0"] = /presentationTimeOffset="(\d+)"/.exec(attributes) ?? []
  const line = { timeScale: timescale, segments: shift(segments, -Number(offset)), offset: 0 }
  const added = lower.map((rendition) => toRepresentation(rendition, line)).join("")
  const text = copy.playlists.get(StreamFiles.entry("dash")) ?? ""
  return new Map([[StreamFiles.entry("dash"), text.replace(video, (found) => found + added)]])
}

/**
 * Returns an adaptation set of renditions that have a segment for each one of the best video in a manifest, as its set `id`. The times in
 * their segments are later by `firstTime` seconds. Players prefer the set to others that they can play.
 */
export const adaptationSet = (
  copy: Copy,
  renditions: ReadonlyArray<Rendition>,
  firstTime: number,
  id: number
): string => {
  const [, timeScale = "1", , segments = ""] = timeline.exec(representationOf(copy)) ?? []
  const offset = Math.round(firstTime * Number(timeScale))
  // The first entry may have no time, which means 0.
  const whole = segments.replace(/^(<SegmentTimeline>\s*<S )(?!t=)/, '$1t="0" ')
  const line: Timeline = { timeScale, segments: shift(whole, offset), offset }
  return [
    `\t\t<AdaptationSet id="${id}" contentType="video" startWithSAP="1" segmentAlignment="true" selectionPriority="2">\n`,
    ...renditions.map((rendition) => toRepresentation(rendition, line)),
    "\t\t</AdaptationSet>\n"
  ].join("")
}

/** Returns the playlists that change when the lower renditions join the copy, and those that are new. The best comes first in `lower`. */
export const join = (copy: Copy, lower: ReadonlyArray<Rendition>): Texts =>
  copy.presentation.format === "hls" ? joinHls(copy, lower) : joinDash(copy, lower)
