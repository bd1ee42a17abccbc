/**
 * The index of a video file: its tracks, and where each of their samples is.
 */
import type { Aac, Ac3, Avc, Hevc } from "./Codec.ts"
import type { Samples } from "./Samples.ts"

interface Track {
  /** ISO 639-2; null if the file does not say. */
  readonly language: string | null
  /** Ticks per second. */
  readonly timeScale: number
  /** Ticks: the time of the track at which the presentation begins. Samples before it are not shown. */
  readonly start: number
  /** Ticks for which nothing is shown before that, as the edit list says. */
  readonly pause: number
  /** Seconds that are shown, as the edit list says; null for all from `start` on. */
  readonly shown: number | null
  readonly samples: Samples
}

export interface VideoTrack extends Track {
  readonly codec: Avc | Hevc
  /** Pixels of the coded picture. */
  readonly width: number
  readonly height: number
  /** Width and height of a pixel, as a ratio. */
  readonly pixelRatio: readonly [number, number]
  /** Whether the picture is shown as it is coded, neither rotated nor mirrored. */
  readonly isUpright: boolean
  /** The colours, as the content of a box `colr` of type `nclx` (ISO/IEC 14496-12, 12.1.5); null if the file does not say. */
  readonly color: Uint8Array | null
}

interface Sound extends Track {
  readonly channels: number
  /** Samples per second. */
  readonly sampleRate: number
}

export interface AudioTrack extends Sound {
  readonly codec: Aac
}

/** Audio that only some players support. */
export interface Ac3Track extends Sound {
  readonly codec: Ac3
}

export type SoundTrack = AudioTrack | Ac3Track

export interface SourceIndex {
  readonly video: ReadonlyArray<VideoTrack>
  readonly audio: ReadonlyArray<AudioTrack>
  readonly ac3: ReadonlyArray<Ac3Track>
  /** Handler types of all other tracks, as in `text` (ISO/IEC 14496-12, 8.4.3), and `chpl` for chapters that are no track. */
  readonly others: ReadonlyArray<string>
}
