/**
 * The bitrates of a rendition, from its segments.
 */

export interface Segment {
  /** Seconds. */
  readonly duration: number
  readonly bytes: number
}

export interface Bitrates {
  /** Seconds. */
  readonly duration: number
  /** Bits per second of all segments. */
  readonly average: number
  /** Bits per second of the run of segments with the highest bitrate. */
  readonly peak: number
}

/** Seconds. A shorter duration counts as this much. */
const minSeconds = 0.001

const bitrate = (bytes: number, seconds: number): number => Math.round((8 * bytes) / Math.max(seconds, minSeconds))

/**
 * Returns the highest bitrate of all runs of segments that last 0.5 to 1.5 times as long as the longest segment (RFC 8216, section
 * 4.1). So a last segment of a few frames, which is often one large keyframe, counts together with those before it.
 */
const peakOf = (segments: ReadonlyArray<Segment>): number => {
  const longest = segments.reduce((seconds, { duration }) => Math.max(seconds, duration), 0)
  let peak = 0
  for (let first = 0; first < segments.length; first++) {
    let [bytes, seconds] = [0, 0]
    const end = Math.min(segments.length, first + maxRun)
    for (let index = first; index < end; index++) {
      bytes += segments[index]?.bytes ?? 0
      seconds += segments[index]?.duration ?? 0
      if (seconds > 1.5 * longest) break
      if (seconds >= 0.5 * longest) peak = Math.max(peak, bitrate(bytes, seconds))
    }
  }
  return peak
}

/** Bounds the work for a list with one long segment and many that last almost nothing. */
const maxRun = 1000

export const measure = (segments: ReadonlyArray<Segment>): Bitrates => {
  const duration = segments.reduce((sum, segment) => sum + segment.duration, 0)
  const average = bitrate(
    segments.reduce((sum, { bytes }) => sum + bytes, 0),
    duration
  )
  return { duration, average, peak: Math.max(average, peakOf(segments)) }
}
