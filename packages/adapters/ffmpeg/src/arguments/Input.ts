/**
 * The arguments that open a file from a stranger.
 */
import type * as Limits from "@holdfast/core/transcoding/Limits"
import type * as Options from "./Options.ts"

/**
 * Containers that hold their media themselves. Nothing that refers to other files is among them: no playlist, no manifest,
 * no list of files, no session description.
 */
const containers = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,flv,asf,mpegts,mpeg,ogg,wav,mp3,aac,flac"

/** What may be opened, and how large a picture may be: for the option's next input. */
export const safety = (limits: Limits.Limits, formats: string = containers): Options.Options => ({
  protocol_whitelist: "file",
  format_whitelist: formats,
  max_pixels: limits.pixels
})

/** Of ffmpeg: deaf, telling of each message what it is (and of the signal that ended it, for information), overwriting what an earlier try left, and telling its progress in lines. */
export const general: Options.Options = {
  nostdin: true,
  hide_banner: true,
  loglevel: "level+info",
  nostats: true,
  y: true,
  stats_period: 0.2,
  progress: "pipe:1"
}

/** One input file, from a moment on (seconds). */
export const file = (url: string, limits: Limits.Limits, from?: number): Options.Options => ({
  ...safety(limits),
  threads: limits.threads,
  fflags: "+genpts",
  ss: from,
  i: url
})
