/**
 * What a file of video or audio holds, as far as a conversion has to know.
 */

/** The picture. Codecs and formats carry FFmpeg's names: `h264`, `hevc`, `yuv420p`. */
export interface Video {
  /** Which of the file's streams it is, counted from 0. */
  readonly index: number
  readonly codec: string
  readonly profile: string | null
  /** As the codec counts: 41 is level 4.1 of H.264. */
  readonly level: number | null
  readonly pixelFormat: string | null
  /** Pixels of the picture as it is shown: turned upright, and with square pixels. */
  readonly width: number
  readonly height: number
  /** By how many degrees, clockwise, the coded picture is turned to be upright: 0 to 359. */
  readonly rotation: number
  /** Whether a coded pixel is as wide as it is high. */
  readonly squarePixels: boolean
  readonly interlaced: boolean
  /** Frames a second, on the average. */
  readonly frameRate: number | null
  /** Bits a second. */
  readonly bitrate: number | null
  /** The longest stretch between two frames that decoding can begin with, in seconds, near the file's beginning. */
  readonly keyframeInterval: number | null
}

/** The sound. */
export interface Audio {
  /** Which of the file's streams it is, counted from 0. */
  readonly index: number
  readonly codec: string
  readonly profile: string | null
  readonly channels: number
  /** Samples a second. */
  readonly sampleRate: number
  /** Bits a second. */
  readonly bitrate: number | null
}

/** A probed file; it has video or audio, or both. */
export interface Media {
  /** The container's name by FFmpeg: `mov,mp4,m4a,3gp,3g2,mj2`, `matroska,webm`, `avi`. */
  readonly container: string
  /** Seconds; null where the file does not tell, as a recording that was never finished. */
  readonly duration: number | null
  /**
   * Whether the container's own header declares the duration. Then a content that ends much earlier was cut off. An
   * estimate from the bitrate, as with bare MP3, proves nothing.
   */
  readonly durationDeclared: boolean
  /** Of everything, in bits a second. */
  readonly bitrate: number | null
  readonly video: Video | null
  readonly audio: Audio | null
}
