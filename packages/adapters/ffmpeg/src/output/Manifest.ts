/**
 * Corrects DASH manifests (ISO/IEC 23009-1). FFmpeg rounds how long one plays to tenths of a second, so that a short video plays
 * for none; its timelines are exact.
 */

const timelines = /<SegmentTemplate timescale="(\d+)"[^>]*>\s*<SegmentTimeline>([\s\S]*?)<\/SegmentTimeline>/g
const segments = /<S(?: t="(\d+)")? d="(\d+)"(?: r="(\d+)")?/g

/** When the last segment of a timeline ends, in ticks. */
const end = (timeline: string): number => {
  let now = 0
  for (const [, start, duration, repeat = "0"] of timeline.matchAll(segments)) {
    now = (start === undefined ? now : Number(start)) + Number(duration) * (Number(repeat) + 1)
  }
  return now
}

/** Seconds until the last of its timelines ends. */
export const duration = (text: string): number =>
  [...text.matchAll(timelines)].reduce(
    (longest, [, timescale, timeline = ""]) => Math.max(longest, end(timeline) / Number(timescale)),
    0
  )

/** The manifest with this duration, in seconds. */
export const withDuration = (text: string, seconds: number): string =>
  text.replace(/(mediaPresentationDuration=)"[^"]*"/, `$1"PT${(Math.ceil(seconds * 1000) / 1000).toFixed(3)}S"`)
