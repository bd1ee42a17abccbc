/**
 * The sample entry of a track: its codec and format (ISO/IEC 14496-12, 8.5.2).
 */
import { concat } from "../../../storage/ByteChunks.ts"
import { Aac, Ac3, ac3Boxes, Avc, type Hevc } from "../../Codec.ts"
import { limitExceeded, malformed, PackagingError, unsupported } from "../../PackagingError.ts"
import type { Ac3Track, AudioTrack, VideoTrack } from "../../SourceIndex.ts"
import { box, text, zeros } from "../fragments/BoxWriter.ts"
import * as HevcRecord from "../h265/Record.ts"
import * as AudioConfig from "./AudioConfig.ts"
import * as Boxes from "./Boxes.ts"

type VideoFormat = Pick<VideoTrack, "codec" | "width" | "height" | "pixelRatio" | "color">
type AudioFormat = Pick<AudioTrack, "codec" | "channels" | "sampleRate">
type Ac3Format = Pick<Ac3Track, "codec" | "channels" | "sampleRate">

/** Bytes before the boxes of an entry (12.1.3 and 12.2.3). */
const visualBytes = 78
const audioBytes = 28
/** Further bytes of an audio entry of QuickTime, by its version. */
const quickTimeBytes = new Map([
  [0, 0],
  [1, 16],
  [2, 36]
])

const hex = (value: number): string => value.toString(16).padStart(2, "0")

/** Reads `count` NAL units, each with its length before it. */
const readUnits = (body: DataView, from: number, count: number): { units: ReadonlyArray<Uint8Array>; end: number } => {
  const units: Array<Uint8Array> = []
  let at = from
  for (let index = 0; index < count; index++) {
    const length = body.getUint16(at)
    if (length === 0 || at + 2 + length > body.byteLength) throw malformed("The parameters of the video are cut off.")
    units.push(Boxes.toBytes(body, at + 2, at + 2 + length).slice())
    at += 2 + length
  }
  return { units, end: at }
}

/** Parses `avcC` (ISO/IEC 14496-15, 5.3.3.1). */
const avc = (entry: string, body: DataView): Avc => {
  const sequence = readUnits(body, 6, body.getUint8(5) & 0x1f)
  const picture = readUnits(body, sequence.end + 1, body.getUint8(sequence.end))
  return Avc({
    name: `${entry}.${hex(body.getUint8(1))}${hex(body.getUint8(2))}${hex(body.getUint8(3))}`,
    record: Boxes.toBytes(body).slice(),
    lengthBytes: (body.getUint8(4) & 3) + 1,
    sequenceParameters: sequence.units,
    pictureParameters: picture.units
  })
}

/** The boxes that describe HDR, with their bytes. */
const hdrBoxes = [
  ["mdcv", 24],
  ["clli", 4]
] as const

/** The profile of Dolby Vision with a base layer that is right alone, and the kinds of that: HDR10, BT.709 and HLG. */
const wholeProfile = 8
const wholeBases = new Set([1, 2, 4])

/** Whether the pictures of an entry are right without Dolby Vision ("Dolby Vision Streams within the ISO Base Media File Format", 3.2). */
const isWhole = (type: string, boxes: ReadonlyMap<string, DataView>): boolean => {
  const configuration = boxes.get("dvcC") ?? boxes.get("dvvC")
  if (configuration === undefined) return !type.startsWith("dv")
  return configuration.getUint8(2) >> 1 === wholeProfile && wholeBases.has(configuration.getUint8(4) >> 4)
}

const hevc = (type: string, body: DataView, boxes: ReadonlyMap<string, DataView>): Hevc =>
  HevcRecord.parse(type === "hvc1" || type === "dvh1" ? "hvc1" : "hev1", body, {
    isWhole: isWhole(type, boxes),
    boxes: concat(
      hdrBoxes.flatMap(([name, bytes]) => {
        const found = boxes.get(name)
        return found?.byteLength === bytes ? [box(name, Boxes.toBytes(found))] : []
      })
    )
  })

const pixelRatio = (entry: ReadonlyMap<string, DataView>): readonly [number, number] => {
  const body = entry.get("pasp")
  return body === undefined ? [1, 1] : [body.getUint32(0), body.getUint32(4)]
}

/** The sizes of a `colr` by its type: `nclc` is that of QuickTime, without the byte for the range of values. */
const colorBytes = new Map([
  ["nclx", 11],
  ["nclc", 10]
])

const color = (entry: ReadonlyMap<string, DataView>): Uint8Array | null => {
  const body = entry.get("colr")
  if (body === undefined || body.byteLength < 4) return null
  const bytes = colorBytes.get(Boxes.typeAt(body, 0)) ?? Infinity
  if (body.byteLength < bytes) return null
  return concat([text("nclx"), Boxes.toBytes(body, 4, bytes), zeros(11 - bytes)])
}

/** Returns the first box of each type. */
const boxesFrom = (entry: DataView, from: number): ReadonlyMap<string, DataView> => {
  const boxes = new Map<string, DataView>()
  for (const { body, type } of Boxes.children(entry, from)) if (!boxes.has(type)) boxes.set(type, body)
  return boxes
}

/** Returns the only sample entry of a track. */
export const only = (stbl: DataView): Boxes.Box => {
  const body = Boxes.get(stbl, "stsd")
  const [entry, ...others] = Boxes.children(body, 8)
  if (entry === undefined || body.getUint32(4) === 0) throw malformed("A track has no codec.")
  if (others.length > 0) throw unsupported("A track changes its codec.")
  if (entry.type === "encv" || entry.type === "enca") {
    throw new PackagingError({ reason: "Encrypted", detail: "A track is encrypted." })
  }
  return entry
}

/** Bytes of the parameters of a codec. Each keyframe of video repeats them in MPEG-TS. Those of encoders have some hundred. */
const maxRecordBytes = 16 * 1024

/** H.265, and Dolby Vision made of it. */
const hevcEntries = new Set(["hvc1", "hev1", "dvh1", "dvhe"])

/** Parses the entry of a video track; undefined for a codec without support. */
export const video = ({ body: entry, type }: Boxes.Box): VideoFormat | undefined => {
  const isAvc = type === "avc1" || type === "avc3"
  if (!isAvc && !hevcEntries.has(type)) return undefined
  const boxes = boxesFrom(entry, visualBytes)
  const record = boxes.get(isAvc ? "avcC" : "hvcC")
  if (record === undefined) throw malformed("A video track has no parameters.")
  if (record.byteLength > maxRecordBytes) throw limitExceeded("The parameters of the video are too large.")
  return {
    codec: isAvc ? avc(type, record) : hevc(type, record, boxes),
    width: entry.getUint16(24),
    height: entry.getUint16(26),
    pixelRatio: pixelRatio(boxes),
    color: color(boxes)
  }
}

/** Returns the boxes of the entry of an audio track. */
const audioBoxes = (entry: DataView): ReadonlyMap<string, DataView> => {
  const further = quickTimeBytes.get(entry.getUint16(8))
  if (further === undefined) throw unsupported("An audio track has an unknown version.")
  return boxesFrom(entry, audioBytes + further)
}

const isAc3 = (type: string): type is Ac3["name"] => Object.hasOwn(ac3Boxes, type)

/** Parses the entry of a track of AC-3 or E-AC-3 (ETSI TS 102 366, annex F); undefined for another codec. */
export const ac3 = ({ body: entry, type }: Boxes.Box): Ac3Format | undefined => {
  if (!isAc3(type)) return undefined
  const record = audioBoxes(entry).get(ac3Boxes[type])
  if (record === undefined) throw malformed("An audio track has no parameters.")
  if (record.byteLength > maxRecordBytes) throw limitExceeded("The parameters of the audio are too large.")
  return {
    codec: Ac3({ name: type, record: Boxes.toBytes(record).slice() }),
    channels: entry.getUint16(16),
    sampleRate: entry.getUint16(24)
  }
}

/** Parses the entry of an audio track; undefined for a codec without support. */
export const audio = ({ body: entry, type }: Boxes.Box): AudioFormat | undefined => {
  if (type !== "mp4a") return undefined
  const boxes = audioBoxes(entry)
  const wave = boxes.get("wave")
  const descriptor = boxes.get("esds") ?? (wave === undefined ? undefined : Boxes.find(wave, "esds"))
  if (descriptor === undefined) return undefined
  if (descriptor.byteLength > maxRecordBytes) throw limitExceeded("The parameters of the audio are too large.")
  const config = AudioConfig.parse(descriptor)
  if (config === undefined) return undefined
  const { channelConfiguration, channels, frequencyIndex, record, sampleRate } = config
  return { codec: Aac({ name: "mp4a.40.2", record, frequencyIndex, channelConfiguration }), channels, sampleRate }
}
