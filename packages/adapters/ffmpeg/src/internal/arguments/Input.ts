/**
 * Arguments that open an untrusted file.
 */
import type * as Limits from "@holdfast/core/transcoding/Limits"
import type * as Options from "./Options.ts"

/**
 * Containers that contain their media. None of them can refer to other files: no playlist, no manifest, no list of files, no
 * session description.
 */
const containers = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,flv,asf,mpegts,mpeg,ogg,wav,mp3,aac,flac"

/** Restricts the next input: the formats and protocols that may be opened, and the size of a picture. */
export const safety = (limits: Limits.Limits, formats: string = containers): Options.Options => ({
  protocol_whitelist: "file",
  format_whitelist: formats,
  max_pixels: limits.pixels
})

/**
 * General options of ffmpeg: no standard input, messages with their level (at level info, ffmpeg also reports the signal
 * that ended it), overwriting the files of an earlier attempt, and progress in lines.
 */
export const general: Options.Options = {
  nostdin: true,
  hide_banner: true,
  loglevel: "level+info",
  nostats: true,
  y: true,
  stats_period: 0.2,
  progress: "pipe:1"
}

/** Opens one input file, from `from` (seconds) on. */
export const file = (url: string, limits: Limits.Limits, from?: number): Options.Options => ({
  ...safety(limits),
  threads: limits.threads,
  fflags: "+genpts",
  ss: from,
  i: url
})
