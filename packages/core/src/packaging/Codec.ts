/**
 * The codec of a track, with what a decoder needs before the first sample.
 */
import * as Data from "effect/Data"

export type Codec = Data.TaggedEnum<{
  /** H.264. */
  Avc: {
    /** The name for playlists (RFC 6381), as in `avc1.64001f`. */
    readonly name: string
    /** The content of the box `avcC` (ISO/IEC 14496-15, 5.3.3.1). */
    readonly record: Uint8Array
    /** Bytes of the length before each NAL unit. */
    readonly lengthBytes: number
    /** NAL units. */
    readonly sequenceParameters: ReadonlyArray<Uint8Array>
    readonly pictureParameters: ReadonlyArray<Uint8Array>
  }
  /** H.265. */
  Hevc: {
    readonly name: string
    /** The content of the box `hvcC` (ISO/IEC 14496-15, 8.3.3.1). */
    readonly record: Uint8Array
    readonly lengthBytes: number
    /** NAL units of the record. */
    readonly videoParameters: ReadonlyArray<Uint8Array>
    readonly sequenceParameters: ReadonlyArray<Uint8Array>
    readonly pictureParameters: ReadonlyArray<Uint8Array>
    /** The boxes of the entry that describe HDR: `mdcv` and `clli` (ISO/IEC 14496-12, 12.1.6 and 12.1.7). */
    readonly boxes: Uint8Array
    /** Whether the pictures are right without the metadata of Dolby Vision, if there are any. */
    readonly isWhole: boolean
  }
  /** AAC-LC with frames of 1024 samples. */
  Aac: {
    readonly name: string
    /** The AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1). */
    readonly record: Uint8Array
    /** Index in the table of sampling frequencies (ISO/IEC 14496-3, table 1.18). */
    readonly frequencyIndex: number
    readonly channelConfiguration: number
  }
  /** AC-3 or E-AC-3 (ETSI TS 102 366). */
  Ac3: {
    readonly name: "ac-3" | "ec-3"
    /** The content of the box `dac3` or `dec3` (annex F). */
    readonly record: Uint8Array
  }
}>

export type Avc = Data.TaggedEnum.Value<Codec, "Avc">
export type Hevc = Data.TaggedEnum.Value<Codec, "Hevc">
export type Aac = Data.TaggedEnum.Value<Codec, "Aac">
export type Ac3 = Data.TaggedEnum.Value<Codec, "Ac3">

/** The names of the boxes with the records of AC-3 and E-AC-3. */
export const ac3Boxes: Readonly<Record<Ac3["name"], string>> = { "ac-3": "dac3", "ec-3": "dec3" }

export const { Aac, Ac3, Avc, Hevc } = Data.taggedEnum<Codec>()
