/**
 * Names of the files of the H.265 that is cut from a content beside its encoded video (`Presentation.hevc`), relative to those of the stream.
 *
 * Both formats: the segments `hevc/init.m4s` and `hevc/chunk1.m4s`, `hevc/chunk2.m4s`, …, which are cut by the index `hevc.bin`. HLS also
 * has the playlist `hevc.m3u8`, and for each audio rendition `hevc-audio0.m3u8` and `hevc-audio0/init.m4s`, `hevc-audio0/chunk1.m4s`, …:
 * the segments of audio of DASH with the times of HLS. Those of AV1 (`av1/Av1Files`) are named likewise.
 */
import * as Av1Files from "../av1/Av1Files.ts"

/** The name of the rendition, of its representation in DASH and of the directory of its segments. */
export const name = "hevc"

/** The index by which the segments are cut (`packaging/SegmentIndex`). No player reads it. */
export const index = "hevc.bin"

/** The playlist of the video in HLS. */
export const playlist = `${name}.m3u8`

/** The name of an audio rendition, by its place among them, beside H.265 or AV1. */
export const audioName = (order: number, video: string = name): string => `${video}-audio${order}`

/** The initialization segment of the video or of an audio rendition. */
export const init = (folder: string): string => `${folder}/init.m4s`

/** A media segment; `number` counts from 1. A template has `$Number$` in its place. */
export const chunk = (folder: string, number: number | "$Number$"): string => `${folder}/chunk${number}.m4s`

const number = "(?:0|[1-9]\\d{0,8})"

/** The audio beside either video. */
const audioPattern = `(?:${name}|${Av1Files.name})-audio[1-9]?\\d`

/** What the names are, as parts of patterns. */
export const patterns = {
  playlists: `(?:${name}|${audioPattern})`,
  video: `${name}/(?:init|chunk${number})\\.m4s`,
  audio: `${audioPattern}/(?:init|chunk${number})\\.m4s`
}

const segmentName = new RegExp(
  `^(?:${name}|(?:${name}|${Av1Files.name})-audio([1-9]?\\d))/(?:init|chunk(${number}))\\.m4s$`
)

export interface HevcSegment {
  /** The place of the audio rendition; undefined for the video. */
  readonly audio: number | undefined
  /** Counts from 0; undefined for the initialization segment. */
  readonly index: number | undefined
}

/** Returns what the name of a segment means; undefined for other names. */
export const parse = (file: string): HevcSegment | undefined => {
  const found = segmentName.exec(file)
  if (found === null) return undefined
  const [, audio, order] = found
  return {
    audio: audio === undefined ? undefined : Number(audio),
    index: order === undefined ? undefined : Number(order) - 1
  }
}
