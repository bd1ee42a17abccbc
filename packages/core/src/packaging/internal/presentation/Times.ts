/**
 * The times of fragmented MP4 that plays beside segments of MPEG-TS: renditions of HLS with the same content have the same times (RFC 8216,
 * section 6.2.4).
 */
import { unsupported } from "../../PackagingError.ts"
import type { SoundTrack, VideoTrack } from "../../SourceIndex.ts"
import * as TransportStream from "../../TransportStream.ts"

/**
 * Returns a track whose presentation begins as late as that of MPEG-TS does, which is later by `delay` seconds than that of packaged
 * presentations. `skipped` are the seconds of the track at which the presentation begins. Throws if a sample is decoded before the times
 * begin.
 */
export const shift = <A extends VideoTrack | SoundTrack>(track: A, delay: number, skipped = 0): A => {
  const { pause, samples, start: from, timeScale } = track
  const begin = Math.round((TransportStream.firstTime + delay) * timeScale)
  const later = begin + pause - from - Math.round(skipped * timeScale)
  const times = Float64Array.from(samples.times, (time) => time + later)
  if ((times[0] ?? 0) < 0) throw unsupported("The first frame is decoded too early.")
  return { ...track, start: begin, pause: 0, samples: { ...samples, times, end: samples.end + later } }
}
