/**
 * The units of an MPEG transport stream: a frame of H.264 as a byte stream, or some frames of AAC with ADTS headers. Their sizes follow
 * from those of the samples, so that the size of a segment is known without its bytes.
 */
import type { Aac, Avc } from "../../Codec.ts"
import { malformed, unsupported } from "../../PackagingError.ts"
import * as Boxes from "../mp4/Boxes.ts"
import type { Unit } from "../ReadPlan.ts"
import * as Packets from "./Packets.ts"

/** A unit that becomes one PES packet (ISO/IEC 13818-1, 2.4.3.6). Times are ticks of the 90 kHz clock. */
export interface AccessUnit extends Unit {
  readonly isVideo: boolean
  readonly shown: number
  readonly decoded: number
  /** Whether the unit is a keyframe. All audio is. */
  readonly isSync: boolean
  readonly adaptation: Packets.Adaptation
  /** Clock references that are written before the unit, in packets of their own. */
  readonly clocksBefore: ReadonlyArray<number>
  /** With the clock references. */
  readonly packets: number
}

const startCode = [0, 0, 0, 1]
const delimiterType = 9
/** An access unit delimiter that permits all kinds of slices (ITU-T H.264, 7.3.2.4). */
const delimiter = Uint8Array.from([...startCode, delimiterType, 0xf0])

const pesHeadBytes = 9
const timeBytes = 5
export const adtsBytes = 7

/** Bytes of an ADTS frame, whose length has 13 bits. */
const maxAdtsBytes = 8191

/** Returns what is written before a keyframe: the parameters, as a byte stream. */
export const parametersOf = ({ pictureParameters, sequenceParameters }: Avc): Uint8Array =>
  Uint8Array.from([...sequenceParameters, ...pictureParameters].flatMap((unit) => startCode.concat(...unit)))

/** Returns the bytes of the PES packet of a frame, without parameters. */
export const bytesOfFrame = (sampleBytes: number, hasBothTimes: boolean): number =>
  pesHeadBytes + (hasBothTimes ? 2 * timeBytes : timeBytes) + delimiter.length + sampleBytes

/** Returns the bytes of the PES packet of frames of AAC, without those of their samples. */
export const bytesOfGroup = (frames: number): number => pesHeadBytes + timeBytes + adtsBytes * frames

const streamIds = { video: 0xe0, audio: 0xc0 }

/** Writes the header of a PES packet of `bytes` bytes. That of video does not state its length. Returns where it ends. */
const writeHead = (output: Uint8Array, unit: AccessUnit, bytes: number): number => {
  const hasBoth = unit.isVideo && unit.decoded !== unit.shown
  const size = pesHeadBytes + (hasBoth ? 2 * timeBytes : timeBytes)
  const length = unit.isVideo ? 0 : bytes - 6
  output[0] = 0
  output[1] = 0
  output[2] = 1
  output[3] = unit.isVideo ? streamIds.video : streamIds.audio
  output[4] = length >> 8
  output[5] = length & 0xff
  // Marker bits and data alignment; which times follow; their bytes.
  output[6] = 0x84
  output[7] = hasBoth ? 0xc0 : 0x80
  output[8] = size - pesHeadBytes
  Packets.writeTime(output, pesHeadBytes, hasBoth ? 3 : 2, unit.shown)
  if (hasBoth) Packets.writeTime(output, pesHeadBytes + timeBytes, 1, unit.decoded)
  return size
}

/** Replaces the length before each NAL unit by a start code. */
const toByteStream = (sample: Uint8Array): void => {
  const view = Boxes.toView(sample)
  for (let at = 0; at < sample.length;) {
    if (at + 4 > sample.length) throw malformed("A frame of the video is cut off.")
    const end = at + 4 + view.getUint32(at)
    if (end > sample.length) throw malformed("A frame of the video is cut off.")
    view.setUint32(at, 1)
    at = end
  }
}

/** Makes the PES packet of a frame of video. */
export const videoPacket = (
  unit: AccessUnit,
  sample: Uint8Array,
  parameters: Uint8Array,
  memory: Packets.Memory
): Uint8Array => {
  const before = unit.isSync ? parameters.length : 0
  const total = bytesOfFrame(sample.length, unit.decoded !== unit.shown) + before
  const packet = memory.take(total, unit.adaptation)
  const at = writeHead(packet, unit, total)
  // A frame with a delimiter of its own gets zeros at its end instead, which a byte stream permits (annex B), so that its size is the same.
  const isDelimited = sample.length > 4 && ((sample[4] ?? 0) & 0x1f) === delimiterType
  if (!isDelimited) {
    packet.set(delimiter, at)
    if (before > 0) packet.set(parameters, at + delimiter.length)
    packet.set(sample, at + delimiter.length + before)
    toByteStream(packet.subarray(at + delimiter.length + before))
    return packet
  }
  const copy = sample.slice()
  toByteStream(copy)
  const rest = copy.subarray(delimiter.length)
  if (!startCode.every((byte, index) => rest.length === 0 || rest[index] === byte)) {
    throw malformed("A delimiter of the video has another length.")
  }
  packet.set(copy.subarray(0, delimiter.length), at)
  if (before > 0) packet.set(parameters, at + delimiter.length)
  packet.set(rest, at + delimiter.length + before)
  packet.fill(0, total - delimiter.length)
  return packet
}

/** Writes the header of an AAC frame (ISO/IEC 14496-3, 1.A.2). */
const writeAdts = (
  output: Uint8Array,
  at: number,
  { channelConfiguration, frequencyIndex }: Aac,
  bytes: number
): void => {
  const length = bytes + adtsBytes
  output[at] = 0xff
  output[at + 1] = 0xf1
  output[at + 2] = 0x40 | (frequencyIndex << 2) | (channelConfiguration >> 2)
  output[at + 3] = ((channelConfiguration & 3) << 6) | (length >> 11)
  output[at + 4] = (length >> 3) & 0xff
  output[at + 5] = ((length & 7) << 5) | 0x1f
  output[at + 6] = 0xfc
}

/** Throws if a sample of this many bytes cannot be a frame of ADTS. */
export const checkAudio = (length: number): void => {
  if (length + adtsBytes > maxAdtsBytes) throw unsupported("A packet of audio is too large.")
}

/** Makes the PES packet of frames of AAC. */
export const audioPacket = (
  unit: AccessUnit,
  samples: ReadonlyArray<Uint8Array>,
  codec: Aac,
  memory: Packets.Memory
): Uint8Array => {
  const total = samples.reduce((sum, { length }) => sum + length, bytesOfGroup(samples.length))
  const packet = memory.take(total, unit.adaptation)
  let at = writeHead(packet, unit, total)
  for (const sample of samples) {
    writeAdts(packet, at, codec, sample.length)
    packet.set(sample, at + adtsBytes)
    at += adtsBytes + sample.length
  }
  return packet
}
