/**
 * Writes the initialization segment of a track (ISO/IEC 14496-12, 8.16; ISO/IEC 23009-1, 6.3.3).
 */
import { type Aac, type Ac3, ac3Boxes, type Avc, type Hevc } from "../../Codec.ts"
import type { SoundTrack, VideoTrack } from "../../SourceIndex.ts"
import { concat } from "../../../storage/ByteChunks.ts"
import { box, fullBox, text, uint16, uint32, uint8, zeros } from "./BoxWriter.ts"

export const trackId = 1

type Track = VideoTrack | SoundTrack

const isVideo = (track: Track): track is VideoTrack => "width" in track

const identity = uint32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

const plain = [0, 0] as const

/** The sample entry of video (12.1.3), of the form that has all parameters in it. */
const visualEntry = ({ codec, color, height, pixelRatio, width }: VideoTrack): Uint8Array => {
  const [entry, record] = entryOf(codec)
  return box(
    entry,
    zeros(6),
    uint16(1),
    zeros(16),
    uint16(width, height),
    // 72 pixels per inch, and one frame for each sample.
    uint32(0x480000, 0x480000, 0),
    uint16(1),
    zeros(32),
    uint16(0x18, 0xffff),
    box(record, codec.record),
    box("pasp", uint32(...pixelRatio)),
    ...(color === null ? [] : [box("colr", color)]),
    ...(codec._tag === "Hevc" ? [codec.boxes] : [])
  )
}

/** The entry that the name of a codec begins with, and its record. */
const entryOf = ({ _tag, name }: Avc | Hevc): readonly [entry: string, record: string] => [
  name.slice(0, 4),
  _tag === "Avc" ? "avcC" : "hvcC"
]

/** A descriptor of less than 128 bytes (ISO/IEC 14496-1, 8.3.3). */
const descriptor = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const body = concat(parts)
  return concat([uint8(tag, body.length), body])
}

/** The descriptors of AAC (ISO/IEC 14496-1, 7.2.6). Bitrates of 0 are unknown. */
const descriptors = ({ record }: Aac): Uint8Array =>
  descriptor(
    3,
    uint16(trackId),
    uint8(0),
    descriptor(4, uint8(0x40, 0x15), zeros(3), uint32(0, 0), descriptor(5, record)),
    descriptor(6, uint8(2))
  )

/** The type of an entry of audio, and the box with the parameters of its codec. */
const soundEntryOf = (codec: Aac | Ac3): readonly [entry: string, parameters: Uint8Array] =>
  codec._tag === "Aac"
    ? ["mp4a", fullBox("esds", plain, descriptors(codec))]
    : [codec.name, box(ac3Boxes[codec.name], codec.record)]

/** The sample entry of audio (12.2.3). Its sample rate has 16 bits; the configuration of AAC states it in full. */
const audioEntry = ({ channels, codec, sampleRate }: SoundTrack): Uint8Array => {
  const [entry, parameters] = soundEntryOf(codec)
  return box(
    entry,
    zeros(6),
    uint16(1),
    zeros(8),
    uint16(channels, 16, 0, 0, sampleRate > 0xffff ? 0 : sampleRate, 0),
    parameters
  )
}

/** Packs three letters into 15 bits (8.4.2.3). */
const languageBits = (language: string | null): number =>
  Array.from(language ?? "und").reduce((bits, letter) => (bits << 5) | (letter.charCodeAt(0) - 0x60), 0)

export const initialization = (track: Track): Uint8Array => {
  const [handler, header] = isVideo(track)
    ? ["vide", fullBox("vmhd", [0, 1], zeros(8))]
    : ["soun", fullBox("smhd", plain, zeros(4))]
  const sampleTable = box(
    "stbl",
    fullBox("stsd", plain, uint32(1), isVideo(track) ? visualEntry(track) : audioEntry(track)),
    ...["stts", "stsc", "stco"].map((type) => fullBox(type, plain, uint32(0))),
    fullBox("stsz", plain, uint32(0, 0))
  )
  const mediaInformation = box(
    "minf",
    header,
    box("dinf", fullBox("dref", plain, uint32(1), fullBox("url ", [0, 1]))),
    sampleTable
  )
  const media = box(
    "mdia",
    fullBox("mdhd", plain, uint32(0, 0, track.timeScale, 0), uint16(languageBits(track.language), 0)),
    fullBox("hdlr", plain, zeros(4), text(handler), zeros(13)),
    mediaInformation
  )
  const size = isVideo(track) ? [track.width * 0x10000, track.height * 0x10000] : [0, 0]
  const trackHeader = fullBox(
    "tkhd",
    // Enabled, and part of the presentation.
    [0, 3],
    uint32(0, 0, trackId, 0, 0, 0, 0),
    uint16(0, 0, isVideo(track) ? 0 : 0x100, 0),
    identity,
    uint32(...size)
  )
  const movieHeader = fullBox(
    "mvhd",
    plain,
    uint32(0, 0, track.timeScale, 0, 0x10000),
    uint16(0x100),
    zeros(10),
    identity,
    zeros(24),
    uint32(trackId + 1)
  )
  return concat([
    box("ftyp", text("iso6"), uint32(0), text("iso6cmfcdash")),
    box(
      "moov",
      movieHeader,
      box("trak", trackHeader, media),
      box("mvex", fullBox("trex", plain, uint32(trackId, 1, 0, 0, 0)))
    )
  ])
}
