/**
 * The arguments that encode or copy a track. `stream` is the stream's specifier among those of the output.
 */
import type * as Options from "./Options.ts"
import type { Picture, Sound } from "./Tracks.ts"

/** Seconds of a segment; one that is copied lasts until the next keyframe. */
export const segmentSeconds = 4

/**
 * A keyframe at the first frame at or after each multiple of 4 seconds, in every rendition the same. Counting keyframes
 * instead would make every frame one, after a gap in the input's times.
 */
const keyframes = `expr:gte(t,if(isnan(prev_forced_t),0,(floor(prev_forced_t/${segmentSeconds})+1)*${segmentSeconds}))`

export const picture = ({ encode }: Picture, stream: string): Options.Options =>
  encode === undefined
    ? { [`c:${stream}`]: "copy" }
    : {
        [`c:${stream}`]: "libx264",
        [`preset:${stream}`]: encode.preset,
        [`profile:${stream}`]: "high",
        [`threads:${stream}`]: encode.threads,
        [`fps_mode:${stream}`]: "vfr",
        [`crf:${stream}`]: 23,
        [`maxrate:${stream}`]: encode.maxBitrate,
        [`bufsize:${stream}`]: 2 * encode.maxBitrate,
        [`force_key_frames:${stream}`]: keyframes,
        [`sc_threshold:${stream}`]: 0,
        [`g:${stream}`]: 600
      }

/** Where samples are missing, silence takes their place, so that sound and picture stay together. */
export const sound = ({ encode }: Sound): Options.Options =>
  encode === undefined
    ? { "c:a": "copy" }
    : {
        "c:a": "aac",
        "b:a": encode.bitrate,
        ac: encode.channels,
        ar: encode.sampleRate,
        af: "aresample=async=1:first_pts=0"
      }

/** Of every output: nothing of what the file tells about its maker, and patience with tracks that begin late. */
export const output: Options.Options = {
  map_metadata: -1,
  map_chapters: -1,
  sn: true,
  dn: true,
  max_muxing_queue_size: 4096
}
