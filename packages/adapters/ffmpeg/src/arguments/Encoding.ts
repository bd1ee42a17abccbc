/**
 * The arguments that encode or copy a track. `stream` is the stream's specifier among those of the output.
 */
import type * as Options from "./Options.ts"
import type { Encode, Picture, Sound } from "./Tracks.ts"

/** Seconds of a segment; one that is copied lasts until the next keyframe. */
export const segmentSeconds = 4

/**
 * A keyframe at the first frame at or after each multiple of 4 seconds, in every rendition the same. Counting keyframes
 * instead would make every frame one, after a gap in the input's times.
 */
const keyframes = `expr:gte(t,if(isnan(prev_forced_t),0,(floor(prev_forced_t/${segmentSeconds})+1)*${segmentSeconds}))`

/**
 * Gives each frame the time until the next one as its duration, and the last one that since the one before. Where frames do
 * not come regularly, containers and encoders tell something else, and then playlists are wrong about their segments. A frame
 * that is alone and without a duration gets a moment, since muxers divide by it.
 */
const trueDurations = [
  "setts=pts=PTS:dts=DTS:duration='if(between(NEXT_DTS-DTS,1,1e9),NEXT_DTS-DTS",
  "if(between(DTS-PREV_INDTS,1,1e9),DTS-PREV_INDTS",
  "if(gt(DURATION,0),DURATION,3600)))'"
].join(",")

const encoding = ({ maxBitrate, preset, threads }: Encode, stream: string): Options.Options => ({
  [`c:${stream}`]: "libx264",
  [`preset:${stream}`]: preset,
  [`profile:${stream}`]: "high",
  [`threads:${stream}`]: threads,
  [`fps_mode:${stream}`]: "vfr",
  [`crf:${stream}`]: 23,
  [`maxrate:${stream}`]: maxBitrate,
  [`bufsize:${stream}`]: 2 * maxBitrate,
  [`force_key_frames:${stream}`]: keyframes,
  [`sc_threshold:${stream}`]: 0,
  [`g:${stream}`]: 600
})

export const picture = ({ encode, map }: Picture, stream: string): Options.Options => ({
  map,
  ...(encode === undefined ? { [`c:${stream}`]: "copy" } : encoding(encode, stream)),
  [`bsf:${stream}`]: trueDurations
})

/** Where samples are missing, silence takes their place, so that sound and picture stay together. */
export const sound = ({ encode, map }: Sound): Options.Options =>
  encode === undefined
    ? { map, "c:a": "copy" }
    : {
        map,
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
