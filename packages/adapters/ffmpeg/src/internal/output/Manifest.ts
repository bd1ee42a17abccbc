/**
 * Corrects DASH manifests (ISO/IEC 23009-1). ffmpeg rounds the duration to tenths of a second, so that it is zero for a very
 * short video. The timelines of the manifest are exact.
 */

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

/** Returns the manifest with this duration, in seconds. */
export const withDuration = (text: string, seconds: number): string =>
  text.replace(/(mediaPresentationDuration=)"[^"]*"/, `$1"PT${(Math.ceil(seconds * 1000) / 1000).toFixed(3)}S"`)
