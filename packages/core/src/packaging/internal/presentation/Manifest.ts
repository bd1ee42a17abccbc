/**
 * Writes the manifest of a packaged presentation (ISO/IEC 23009-1). Each track is an adaptation set of its own.
 */
import type { AudioTrack, VideoTrack } from "../../SourceIndex.ts"

export interface ManifestTrack {
  readonly track: VideoTrack | AudioTrack
  /** Ticks: when each segment begins, and when the last one ends. */
  readonly times: Float64Array
  /** Bits per second at most. */
  readonly bandwidth: number
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

const adaptationSet = ({ bandwidth, times, track }: ManifestTrack, id: number, frameRate: number | null) => {
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
    `<AdaptationSet id="${id}" contentType="${kind}" startWithSAP="1" segmentAlignment="true">`,
    `\t<Representation id="${id}" mimeType="${kind}/mp4" codecs="${track.codec.name}" bandwidth="${bandwidth}"${format}>`,
    ...channels.map((line) => `\t${line}`),
    `\t\t<SegmentTemplate timescale="${track.timeScale}" presentationTimeOffset="${track.start}" initialization="init-$RepresentationID$.m4s" media="chunk-$RepresentationID$-$Number$.m4s" startNumber="1">`,
    "\t\t\t<SegmentTimeline>",
    ...timeline(times).map((entry) => `\t\t\t\t${entry}`),
    "\t\t\t</SegmentTimeline>",
    "\t\t</SegmentTemplate>",
    "\t</Representation>",
    "</AdaptationSet>"
  ]
}

export const render = ({ duration, frameRate, longest, tracks }: Manifest): string =>
  [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="static" mediaPresentationDuration="${seconds(duration)}" maxSegmentDuration="${seconds(longest)}" minBufferTime="${seconds(2 * longest)}">`,
    '\t<Period id="0" start="PT0S">',
    ...tracks.flatMap((track, id) => adaptationSet(track, id, frameRate)).map((line) => `\t\t${line}`),
    "\t</Period>",
    "</MPD>",
    ""
  ].join("\n")
