/**
 * The units of an MPEG transport stream: a frame of H.264 as a byte stream, some frames of AAC with ADTS headers, or some of AC-3. Their
 * sizes follow from those of the samples, so that the size of a segment is known without its bytes.
 */
import { concat } from "../../../storage/ByteChunks.ts"
import type { Aac, Ac3, Avc } from "../../Codec.ts"
import { malformed, unsupported } from "../../PackagingError.ts"
import type { PacketCounter, PacketWriter } from "./Packets.ts"
import * as Packets from "./Packets.ts"

/** When a unit is decoded and shown, and its clock reference; undefined for none. Ticks of the 90 kHz clock. */
export interface Times {
  readonly decoded: number
  readonly shown: number
  readonly clock: number | undefined
}

/** Memory with a sample. */
export interface Sample {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

const startCode = [0, 0, 0, 1]
const startCodeBytes = Uint8Array.from(startCode)
/** Bytes of the length before each NAL unit. */
const lengthBytes = startCode.length
const delimiterType = 9
/** An access unit delimiter that permits all kinds of slices (ITU-T H.264, 7.3.2.4). */
const delimiter = Uint8Array.from([...startCode, delimiterType, 0xf0])
const zeros = new Uint8Array(delimiter.length)

const pesHeadBytes = 9
const timeBytes = 5
const adtsBytes = 7

/** Bytes of an ADTS frame, whose length has 13 bits. */
const maxAdtsBytes = 8191

/** Returns what is written before a keyframe: the parameters, as a byte stream. */
export const parametersOf = ({ pictureParameters, sequenceParameters }: Avc): Uint8Array =>
  concat([...sequenceParameters, ...pictureParameters].flatMap((unit) => [startCodeBytes, unit]))

/** Returns the bytes of the PES packet of a frame, without parameters. */
export const bytesOfFrame = (sampleBytes: number, hasBothTimes: boolean): number =>
  pesHeadBytes + (hasBothTimes ? 2 * timeBytes : timeBytes) + delimiter.length + sampleBytes

/** Returns the bytes of the header before each frame of audio. */
export const headerBytesOf = (codec: Aac | Ac3 | undefined): number => (codec?._tag === "Aac" ? adtsBytes : 0)

/** Returns how many samples a frame of audio has. Some of E-AC-3 have fewer. */
export const frameSamplesOf = ({ _tag }: Aac | Ac3): number => (_tag === "Aac" ? 1024 : 1536)

/** Returns the bytes of the PES packet of frames of audio, without those of their samples. */
export const bytesOfGroup = (frames: number, headerBytes: number): number =>
  pesHeadBytes + timeBytes + headerBytes * frames

/** The streams of PES packets (2.4.3.7). AC-3 is a private one. */
const streamIds = { Avc: 0xe0, Aac: 0xc0, Ac3: 0xbd }

/** Headers that are in two packets. Segments are written without waiting, so that all of them share this memory. */
const divided = new Uint8Array(pesHeadBytes + 2 * timeBytes)

/** Writes the header of a PES packet of `bytes` bytes. That of video does not state its length. */
const putHead = (
  writer: PacketWriter,
  codec: keyof typeof streamIds,
  { decoded, shown }: Times,
  bytes: number
): void => {
  const isVideo = codec === "Avc"
  const hasBoth = isVideo && decoded !== shown
  const size = pesHeadBytes + (hasBoth ? 2 * timeBytes : timeBytes)
  const length = isVideo ? 0 : bytes - 6
  const claimed = writer.claim(size)
  const [head, at] = claimed < 0 ? [divided, 0] : [writer.output, claimed]
  head[at] = 0
  head[at + 1] = 0
  head[at + 2] = 1
  head[at + 3] = streamIds[codec]
  head[at + 4] = length >> 8
  head[at + 5] = length & 0xff
  // Marker bits and data alignment; which times follow; their bytes.
  head[at + 6] = 0x84
  head[at + 7] = hasBoth ? 0xc0 : 0x80
  head[at + 8] = size - pesHeadBytes
  Packets.writeTime(head, at + pesHeadBytes, hasBoth ? 3 : 2, shown)
  if (hasBoth) Packets.writeTime(head, at + pesHeadBytes + timeBytes, 1, decoded)
  if (claimed < 0) writer.put(divided, 0, size)
}

const cutOff = () => malformed("A frame of the video is cut off.")

/** Returns where a NAL unit ends. Its length is before it. */
const endOfUnit = ({ bytes, end }: Sample, at: number): number => {
  if (at + lengthBytes > end) throw cutOff()
  const length =
    (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
  const endOf = at + lengthBytes + length
  if (endOf > end) throw cutOff()
  return endOf
}

/** Writes a frame of video in a PES packet, with a start code in place of the length before each NAL unit. */
export const putFrame = (
  writer: PacketWriter,
  counter: PacketCounter,
  sample: Sample,
  times: Times,
  isSync: boolean,
  parameters: Uint8Array
): void => {
  const { bytes, end, start } = sample
  const before = isSync ? parameters.length : 0
  const total = bytesOfFrame(end - start, times.decoded !== times.shown) + before
  writer.begin(counter, total, isSync, times.clock)
  putHead(writer, "Avc", times, total)
  let at = start
  // A frame with a delimiter of its own gets zeros at its end instead, which a byte stream permits (annex B), so that its size is the same.
  const isDelimited = end - start > lengthBytes && ((bytes[start + lengthBytes] ?? 0) & 0x1f) === delimiterType
  if (isDelimited) {
    at = endOfUnit(sample, start)
    if (at - start !== delimiter.length) throw malformed("A delimiter of the video has another length.")
    writer.put(startCodeBytes, 0, startCodeBytes.length)
    writer.put(bytes, start + lengthBytes, at)
  } else writer.put(delimiter, 0, delimiter.length)
  writer.put(parameters, 0, before)
  while (at < end) {
    const next = endOfUnit(sample, at)
    writer.put(startCodeBytes, 0, startCodeBytes.length)
    writer.put(bytes, at + lengthBytes, next)
    at = next
  }
  if (isDelimited) writer.put(zeros, 0, zeros.length)
}

/** Writes the header of an AAC frame (ISO/IEC 14496-3, 1.A.2). */
const putAdts = (writer: PacketWriter, { channelConfiguration, frequencyIndex }: Aac, bytes: number): void => {
  const length = bytes + adtsBytes
  const claimed = writer.claim(adtsBytes)
  const [head, at] = claimed < 0 ? [divided, 0] : [writer.output, claimed]
  head[at] = 0xff
  head[at + 1] = 0xf1
  head[at + 2] = 0x40 | (frequencyIndex << 2) | (channelConfiguration >> 2)
  head[at + 3] = ((channelConfiguration & 3) << 6) | (length >> 11)
  head[at + 4] = (length >> 3) & 0xff
  head[at + 5] = ((length & 7) << 5) | 0x1f
  head[at + 6] = 0xfc
  if (claimed < 0) writer.put(divided, 0, adtsBytes)
}

/** Throws if a frame of this many bytes, with its header, is larger than one of ADTS can be. All of AC-3 are smaller. */
export const checkAudio = (length: number): void => {
  if (length > maxAdtsBytes) throw unsupported("A packet of audio is too large.")
}

/** Samples by their numbers: memory with each, where it begins there, and its bytes. */
interface Samples {
  readonly bytesOf: (sample: number) => Uint8Array
  readonly startOf: (sample: number) => number
  readonly sizes: Uint32Array
}

/** Samples from one to before another, and their bytes. */
interface Group {
  readonly from: number
  readonly to: number
  readonly bytes: number
}

/** Writes frames of audio in a PES packet. A decoder can begin there if there is no video. */
export const putGroup = (
  writer: PacketWriter,
  counter: PacketCounter,
  { bytesOf, sizes, startOf }: Samples,
  { bytes, from, to }: Group,
  times: Times,
  codec: Aac | Ac3
): void => {
  const total = bytesOfGroup(to - from, headerBytesOf(codec)) + bytes
  writer.begin(counter, total, times.clock !== undefined, times.clock)
  putHead(writer, codec._tag, times, total)
  for (let sample = from; sample < to; sample++) {
    const size = sizes[sample] ?? 0
    const start = startOf(sample)
    if (codec._tag === "Aac") putAdts(writer, codec, size)
    writer.put(bytesOf(sample), start, start + size)
  }
}
