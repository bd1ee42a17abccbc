/**
 * The properties of a video or audio file that a conversion needs.
 */

import type { Chapter } from "./Chapter.ts"
import type { Color } from "./Color.ts"

/** The video track. Codecs and formats have FFmpeg's names: `h264`, `hevc`, `yuv420p`. */
export interface Video {
  /** Index among the file's streams, from 0. */
  readonly index: number
  readonly codec: string
  readonly profile: string | null
  /** In the codec's own notation: 41 is level 4.1 of H.264. */
  readonly level: number | null
  readonly pixelFormat: string | null
  readonly color: Color
  /** Pixels of the picture as shown: upright, with square pixels. */
  readonly width: number
  readonly height: number
  /** Degrees, 0 to 359, by which the coded picture is turned clockwise to be upright. */
  readonly rotation: number
  /** Whether the coded picture is also mirrored to be shown. */
  readonly isMirrored: boolean
  /** Whether a coded pixel is as wide as it is high. */
  readonly squarePixels: boolean
  readonly interlaced: boolean
  /** Frames per second, on average. */
  readonly frameRate: number | null
  /** Whether the time between two frames varies, as in recordings of a screen. */
  readonly isVariable: boolean
  /** Bits per second. */
  readonly bitrate: number | null
  /** Whether the container hides frames at the beginning (an edit list), which a copy would show. */
  readonly isTrimmed: boolean
  /** Seconds: the longest distance between two keyframes near the beginning of the file. */
  readonly keyframeInterval: number | null
}

/** An audio track. */
export interface Audio {
  /** Index among the file's streams, from 0. */
  readonly index: number
  readonly codec: string
  readonly profile: string | null
  readonly channels: number
  /** Samples per second. */
  readonly sampleRate: number
  /** Bits per second. */
  readonly bitrate: number | null
  /** BCP 47; null if the file does not say. */
  readonly language: string | null
  /** For viewers. */
  readonly title: string | null
  /** As that of the video. The samples that an encoder puts before each track do not count. */
  readonly isTrimmed: boolean
}

/** A track of captions or subtitles in text. */
export interface Captions {
  /** Index among the file's streams, from 0. */
  readonly index: number
  /** BCP 47; null if the file does not say. */
  readonly language: string | null
  /** For viewers. */
  readonly title: string | null
}

/** A probed file. It has video, audio or both. */
export interface Media {
  /** FFmpeg's name of the container: `mov,mp4,m4a,3gp,3g2,mj2`, `matroska,webm`, `avi`. */
  readonly container: string
  /** Seconds; null if the file does not say, as for a recording that was never finished. */
  readonly duration: number | null
  /**
   * Whether the header of the container declares the duration. Then a content that ends much earlier was cut off. An
   * estimate from the bitrate, as for raw MP3, does not show that.
   */
  readonly durationDeclared: boolean
  /** Bits per second, of the whole file. */
  readonly bitrate: number | null
  readonly video: Video | null
  /** The track that the file declares as default, or the first one. */
  readonly audio: Audio | null
  /** The other audio tracks, in the order of the file, without those that are empty or begin late. */
  readonly otherAudio: ReadonlyArray<Audio>
  /** Tracks of text, in the order of the file. Those of pictures are not listed. */
  readonly captions: ReadonlyArray<Captions>
  /** In the order of their times. */
  readonly chapters: ReadonlyArray<Chapter>
}
