/**
 * Arguments that encode or copy a track. `stream` is the stream specifier of the track in the output.
 */
import type * as Options from "./Options.ts"
import type { AudioTrack, VideoEncoding, VideoTrack } from "./Tracks.ts"

/** Seconds of a segment. A segment of a copied track lasts until the next keyframe. */
export const segmentSeconds = 4

/** Seconds. With such segments, a muxer ends one at each keyframe. */
export const shortestSegment = 0.001

/** Seconds up to which a keyframe comes every second: over a slow line, a player has the first frame as soon as a segment is loaded. */
const shortSeconds = 2

/**
 * A keyframe at the first frame at or after 0, 1 and 2 seconds, and at each multiple of 4 seconds, the same in every rendition. An
 * expression that counted keyframes would make every frame one after a gap in the input's timestamps.
 */
const everySegment = [
  "expr:gte(t,if(isnan(prev_forced_t),0",
  `if(lt(prev_forced_t,${shortSeconds}),floor(prev_forced_t)+1`,
  `(floor(prev_forced_t/${segmentSeconds})+1)*${segmentSeconds})))`
].join(",")

/**
 * Sets the duration of each frame to the time until the next frame, and that of the last frame to the time since the frame
 * before. For irregular frames, containers and encoders state other durations, from which playlists would get wrong segment
 * durations. A single frame without a duration gets a small one, since muxers divide by it.
 */
const trueDurations = [
  "setts=pts=PTS:dts=DTS:duration='if(between(NEXT_DTS-DTS,1,1e9),NEXT_DTS-DTS",
  "if(between(DTS-PREV_INDTS,1,1e9),DTS-PREV_INDTS",
  "if(gt(DURATION,0),DURATION,3600)))'"
].join(",")

/** Seconds by which a keyframe is asked for before its frame: its time is rounded. Frames are further apart. */
const early = 0.002

/** Returns the value that makes the first frames at or after these times keyframes. There is none before the first frame. */
const at = (times: ReadonlyArray<number>): string => ["0", ...times.map((time) => (time - early).toFixed(3))].join(",")

/** Frames between two keyframes, at most: without limit where each is asked for. */
const longestInterval = 600
const noLimit = 1_000_000

/**
 * Of SVT-AV1. A moving fractal in 1080p took 0.78 of the bytes of H.264 with the preset `veryfast` at the same quality (SSIM 0.946 and
 * 0.947), and twice its processor time. Preset 8 takes 1.7 times that of preset 9, and saves no bytes.
 */
const av1Preset = 9
/** The scale of AV1 ends at 63. */
const av1Quality = 35

/** The encoder makes a keyframe where it is asked to, and nowhere else. */
const av1 = ({ keyframes = [], maxBitrate, threads }: VideoEncoding, stream: string): Options.Options => ({
  [`c:${stream}`]: "libsvtav1",
  [`preset:${stream}`]: av1Preset,
  [`threads:${stream}`]: threads,
  [`fps_mode:${stream}`]: "vfr",
  [`crf:${stream}`]: av1Quality,
  [`maxrate:${stream}`]: maxBitrate,
  [`bufsize:${stream}`]: 2 * maxBitrate,
  [`svtav1-params:${stream}`]: `scd=0:enable-force-key-frames=1:lp=${threads}`,
  [`force_key_frames:${stream}`]: at(keyframes),
  [`g:${stream}`]: noLimit
})

/**
 * The time base of an encoder whose frames have the times of a copy. By default it is the time between two frames, to which all times would
 * be rounded.
 */
const exactTimes = "1/90000"

const h264 = (
  { isUnlimited = false, keyframes, maxBitrate, preset, threads, timing }: VideoEncoding,
  stream: string
): Options.Options => ({
  [`c:${stream}`]: "libx264",
  [`preset:${stream}`]: preset,
  [`profile:${stream}`]: "high",
  [`threads:${stream}`]: threads,
  [`fps_mode:${stream}`]: "vfr",
  [`tune:${stream}`]: timing === "rare" ? "zerolatency" : undefined,
  [`bf:${stream}`]: timing === "even" ? undefined : 0,
  [`enc_time_base:${stream}`]: keyframes === undefined ? undefined : exactTimes,
  [`crf:${stream}`]: 23,
  [`maxrate:${stream}`]: isUnlimited ? undefined : maxBitrate,
  [`bufsize:${stream}`]: isUnlimited ? undefined : 2 * maxBitrate,
  [`force_key_frames:${stream}`]: keyframes === undefined ? everySegment : at(keyframes),
  [`sc_threshold:${stream}`]: 0,
  [`g:${stream}`]: keyframes === undefined ? longestInterval : noLimit
})

const encoding = (encode: VideoEncoding, stream: string): Options.Options =>
  encode.codec === "av1" ? av1(encode, stream) : h264(encode, stream)

/**
 * `isRewritten`: frames are copied as a byte stream, from which the muxer makes lengths of its own. A frame whose lengths are wrong is left
 * out then, as it is in MPEG-TS.
 */
export const video = (
  { encode, map }: VideoTrack,
  stream: string,
  { isRewritten = false }: { readonly isRewritten?: boolean } = {}
): Options.Options => ({
  map,
  ...(encode === undefined ? { [`c:${stream}`]: "copy" } : encoding(encode, stream)),
  [`bsf:${stream}`]: encode === undefined && isRewritten ? `h264_mp4toannexb,${trueDurations}` : trueDurations
})

/** AAC has a code for this order of six channels, and none for that of other formats. */
const surroundLayout = "aformat=channel_layouts=5.1"

/** Fills missing samples with silence, so that audio and video stay in sync. */
export const audio = ({ encode, map }: AudioTrack, stream: string): Options.Options =>
  encode === undefined
    ? { map, [`c:${stream}`]: "copy" }
    : {
        map,
        [`c:${stream}`]: "aac",
        [`b:${stream}`]: encode.bitrate,
        [`ac:${stream}`]: encode.channels,
        [`ar:${stream}`]: encode.sampleRate,
        [`filter:${stream}`]: ["aresample=async=1:first_pts=0", ...(encode.channels > 2 ? [surroundLayout] : [])].join()
      }

/**
 * Microseconds for which the packets of a track wait for those of another. After them, the muxer writes the track alone, and the segments of
 * audio and video do not belong together any more. By default these are ten seconds, which is less than audio may begin after the video, and
 * than an encoder may wait for later frames.
 */
const longestWait = 100_000_000

/**
 * Packets of a track that wait until all encoders have begun, beside 50 MB: 100 seconds at 60 frames per second. With audio that begins after
 * 90 seconds beside video of 20 Mbit/s, ffmpeg took 340 MB.
 */
const maxQueued = 6000

/** Options of every output: no metadata of the file's author, and longer queues for tracks that begin late. */
export const output: Options.Options = {
  map_metadata: -1,
  map_chapters: -1,
  sn: true,
  dn: true,
  max_muxing_queue_size: maxQueued,
  max_interleave_delta: longestWait
}
