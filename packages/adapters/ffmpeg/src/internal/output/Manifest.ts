/**
 * Corrects DASH manifests (ISO/IEC 23009-1).
 *
 * - ffmpeg rounds the duration to tenths of a second, so that it is zero for a very short video. The timelines are exact.
 * - It declares the longest duration of a segment that it was asked for: eleven days where segments of audio end with those of the video.
 * - It declares the bandwidth that the encoder was asked for, or that of the first segment.
 * - It declares `bitstreamSwitching`, which is true only of representations that can be decoded without their own initialization
 *   segment. These have different parameters.
 * - It names AC-3 and E-AC-3 by their numbers in MPEG-4, which players do not know (ETSI TS 102 366, annex I.1.2).
 * - It does not declare the labels of several audio tracks, and which of them is the default.
 */
import type { AudioRendition } from "@holdfast/core/transcoding/AudioRendition"
import * as ManifestCaptions from "@holdfast/core/transcoding/ManifestCaptions"
import type { CaptionFiles } from "@holdfast/core/transcoding/StreamFiles"

const timelines = /<SegmentTemplate timescale="(\d+)"[^>]*>\s*<SegmentTimeline>([\s\S]*?)<\/SegmentTimeline>/g
const segments = /<S(?: t="(\d+)")? d="(\d+)"(?: r="(\d+)")?/g

/** Returns when the last segment of a timeline ends, in ticks. */
const timelineEnd = (timeline: string): number => {
  let now = 0
  for (const [, start, duration, repeat = "0"] of timeline.matchAll(segments)) {
    now = (start === undefined ? now : Number(start)) + Number(duration) * (Number(repeat) + 1)
  }
  return now
}

/** Returns the end of the longest timeline, in seconds. */
export const duration = (text: string): number =>
  [...text.matchAll(timelines)].reduce(
    (longest, [, timescale, timeline = ""]) => Math.max(longest, timelineEnd(timeline) / Number(timescale)),
    0
  )

/** Returns the duration of the longest segment of all timelines, in seconds. */
export const longestSegment = (text: string): number =>
  [...text.matchAll(timelines)]
    .flatMap(([, timescale, timeline = ""]) =>
      [...timeline.matchAll(segments)].map(([, , ticks]) => Number(ticks) / Number(timescale))
    )
    .reduce((longest, seconds) => Math.max(longest, seconds), 0)

/** Finds the template of a representation with its timeline, and where it begins in the manifest. */
const findTemplate = (text: string, id: number) => {
  const start = text.indexOf(`<Representation id="${id}"`)
  const [found] = start === -1 ? [] : text.slice(start).matchAll(timelines)
  if (found === undefined) return undefined
  const [template, timescale, timeline = ""] = found
  return { template, timescale: Number(timescale), timeline, at: start + found.index }
}

/** Returns the durations of a representation's segments, in seconds. */
export const segmentDurations = (text: string, id: number): ReadonlyArray<number> => {
  const { timeline, timescale } = findTemplate(text, id) ?? { timeline: "", timescale: 1 }
  return [...timeline.matchAll(segments)].flatMap(([, , ticks, repeat = "0"]) =>
    Array.from({ length: Number(repeat) + 1 }, () => Number(ticks) / timescale)
  )
}

/** Adds segments of these seconds to the timeline of a representation. */
export const extend = (text: string, id: number, seconds: ReadonlyArray<number>): string => {
  const found = findTemplate(text, id)
  if (found === undefined || seconds.length === 0) return text
  const { template, timescale } = found
  const [, indent = ""] = /([ \t]*)<\/SegmentTimeline>$/.exec(template) ?? []
  const at = found.at + template.lastIndexOf("</SegmentTimeline>")
  const added = seconds.map((one) => `\t<S d="${Math.round(one * timescale)}" />\n${indent}`).join("")
  return `${text.slice(0, at)}${added}${text.slice(at)}`
}

/** Writes a duration (ISO 8601), in milliseconds and never shorter. */
const period = (seconds: number): string => `PT${(Math.ceil(seconds * 1000) / 1000).toFixed(3)}S`

interface Corrections {
  /** Seconds. */
  readonly duration: number
  /** Bits per second of each representation, by its id. */
  readonly bandwidths: ReadonlyArray<number>
  /** The audio renditions, if there are several; the default first. */
  readonly audio: ReadonlyArray<AudioRendition>
  readonly captions: ReadonlyArray<CaptionFiles>
}

/** Adds label and role to the adaptation sets of audio (ISO/IEC 23009-1, 5.3.7.2 and 5.8.5.5). */
const describeAudio = (text: string, audio: ReadonlyArray<AudioRendition>): string => {
  let index = 0
  return text.replaceAll(/<AdaptationSet [^>]*contentType="audio"[^>]*>/g, (tag) => {
    const rendition = audio[index++]
    if (rendition === undefined) return tag
    const [role, priority] = index === 1 ? ["main", ' selectionPriority="2"'] : ["alternate", ""]
    // Otherwise players begin with the audio of the highest bitrate.
    const prioritized = tag.replace(/>$/, `${priority}>`)
    return `${prioritized}\n\t\t\t<Label>${ManifestCaptions.escape(rendition.label)}</Label>\n\t\t\t<Role schemeIdUri="urn:mpeg:dash:role:2011" value="${role}"/>`
  })
}

export const correct = (text: string, { audio, bandwidths, captions, duration }: Corrections): string =>
  ManifestCaptions.add(describeAudio(text, audio), captions)
    .replace(/(mediaPresentationDuration=)"[^"]*"/, `$1"${period(duration)}"`)
    .replace(/(maxSegmentDuration=)"[^"]*"/, `$1"${period(longestSegment(text))}"`)
    .replaceAll(' bitstreamSwitching="true"', "")
    .replaceAll(/ codecs="mp4a\.a([56])"/gi, (_, number) => ` codecs="${number === "5" ? "ac-3" : "ec-3"}"`)
    .replaceAll(/(<Representation id="(\d+)"[^>]* bandwidth=)"[^"]*"/g, (whole, before: string, id: string) => {
      const bandwidth = bandwidths[Number(id)]
      return bandwidth === undefined ? whole : `${before}"${bandwidth}"`
    })
