/**
 * Writes the manifest of a packaged presentation (ISO/IEC 23009-1). Each track is an adaptation set of its own.
 */
import type { AudioTrack, VideoTrack } from "../../SourceIndex.ts"
import * as HevcFiles from "../../../transcoding/hevc/HevcFiles.ts"
import { colorsOf } from "./PlayableHevc.ts"

export interface ManifestTrack {
  readonly track: VideoTrack | AudioTrack
  /** Ticks: when each segment begins, and when the last one ends. */
  readonly times: Float64Array
  /** Bits per second at most. */
  readonly bandwidth: number
}

/** How a track is named in a manifest. */
interface Names {
  readonly id: number | string
  /** Further attributes of the adaptation set, and elements at its beginning. */
  readonly attributes: string
  readonly elements: ReadonlyArray<string>
  readonly initialization: string
  readonly media: string
}

interface Manifest {
  /** Seconds. */
  readonly duration: number
  /** Of the longest segment. */
  readonly longest: number
  /** Frames per second. */
  readonly frameRate: number | null
  readonly tracks: ReadonlyArray<ManifestTrack>
}

const seconds = (value: number): string => `PT${(Math.ceil(value * 1000) / 1000).toFixed(3)}S`

/** Returns the segments of a timeline. Those of one duration are one entry (5.3.9.6). */
const timeline = (times: Float64Array): ReadonlyArray<string> => {
  const entries: Array<string> = []
  for (let index = 0; index + 1 < times.length;) {
    const duration = (times[index + 1] ?? 0) - (times[index] ?? 0)
    const from = index++
    while (index + 1 < times.length && (times[index + 1] ?? 0) - (times[index] ?? 0) === duration) index++
    const repeat = index - from > 1 ? ` r="${index - from - 1}"` : ""
    entries.push(`<S${from === 0 ? ` t="${times[0] ?? 0}"` : ""} d="${duration}"${repeat}/>`)
  }
  return entries
}

const adaptationSet = (
  { bandwidth, times, track }: ManifestTrack,
  setId: number,
  frameRate: number | null,
  { attributes, elements, id, initialization, media }: Names
) => {
  const isVideo = "width" in track
  const kind = isVideo ? "video" : "audio"
  const rate = frameRate === null ? "" : ` frameRate="${Math.round(frameRate * 1000)}/1000"`
  const format = isVideo
    ? ` width="${track.width}" height="${track.height}" sar="1:1"${rate}`
    : ` audioSamplingRate="${track.sampleRate}"`
  const channels = isVideo
    ? []
    : [
        `\t<AudioChannelConfiguration schemeIdUri="urn:mpeg:dash:23003:3:audio_channel_configuration:2011" value="${track.channels}"/>`
      ]
  return [
    `<AdaptationSet id="${setId}" contentType="${kind}" startWithSAP="1" segmentAlignment="true"${attributes}>`,
    ...elements.map((line) => `\t${line}`),
    `\t<Representation id="${id}" mimeType="${kind}/mp4" codecs="${track.codec.name}" bandwidth="${bandwidth}"${format}>`,
    ...channels.map((line) => `\t${line}`),
    `\t\t<SegmentTemplate timescale="${track.timeScale}" presentationTimeOffset="${track.start}" initialization="${initialization}" media="${media}" startNumber="1">`,
    "\t\t\t<SegmentTimeline>",
    ...timeline(times).map((entry) => `\t\t\t\t${entry}`),
    "\t\t\t</SegmentTimeline>",
    "\t\t</SegmentTemplate>",
    "\t</Representation>",
    "</AdaptationSet>"
  ]
}

const namesOf = (id: number): Names => ({
  id,
  attributes: "",
  elements: [],
  initialization: "init-$RepresentationID$.m4s",
  media: "chunk-$RepresentationID$-$Number$.m4s"
})

/** Numbers of ITU-T H.273 that are not specified. */
const unspecified = 2
/** The transfer characteristics PQ. */
const pq = 16

/**
 * Returns the colours as descriptors (ISO/IEC 23009-1, 5.8.5; ISO/IEC 23001-8). Those of PQ are essential (DASH-IF IOP, part 7): a player
 * that does not know them would show wrong brightness.
 */
const colorElements = (color: Uint8Array | null): ReadonlyArray<string> => {
  if (color === null) return []
  const { matrix, primaries, transfer } = colorsOf(color)
  const element = transfer === pq ? "EssentialProperty" : "SupplementalProperty"
  const values = [
    ["ColourPrimaries", primaries],
    ["TransferCharacteristics", transfer],
    ["MatrixCoefficients", matrix]
  ] as const
  return values.flatMap(([name, value]) =>
    value === unspecified ? [] : [`<${element} schemeIdUri="urn:mpeg:mpegB:cicp:${name}" value="${value}"/>`]
  )
}

/**
 * Returns the adaptation set of H.265 that joins a manifest as its set `setId`. It has a single representation, so that players take the
 * other video unless they are asked for this one: its priority is lower.
 */
export const renderHevc = (
  described: ManifestTrack & { readonly track: VideoTrack },
  setId: number,
  frameRate: number | null
): string =>
  adaptationSet(described, setId, frameRate, {
    id: HevcFiles.name,
    attributes: ' selectionPriority="0"',
    elements: colorElements(described.track.color),
    initialization: HevcFiles.init(HevcFiles.name),
    media: HevcFiles.chunk(HevcFiles.name, "$Number$")
  })
    .map((line) => `\t\t${line}\n`)
    .join("")

export const render = ({ duration, frameRate, longest, tracks }: Manifest): string =>
  [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="static" mediaPresentationDuration="${seconds(duration)}" maxSegmentDuration="${seconds(longest)}" minBufferTime="${seconds(2 * longest)}">`,
    '\t<Period id="0" start="PT0S">',
    ...tracks.flatMap((track, id) => adaptationSet(track, id, frameRate, namesOf(id))).map((line) => `\t\t${line}`),
    "\t</Period>",
    "</MPD>",
    ""
  ].join("\n")
