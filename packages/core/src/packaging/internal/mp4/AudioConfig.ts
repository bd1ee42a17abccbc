/**
 * The configuration of an AAC track: the descriptors of the box `esds` (ISO/IEC 14496-1, 7.2.6), and the AudioSpecificConfig in them
 * (ISO/IEC 14496-3, 1.6.2.1).
 */
import { malformed } from "../../PackagingError.ts"
import * as Boxes from "./Boxes.ts"

export interface AudioConfig {
  readonly record: Uint8Array
  readonly frequencyIndex: number
  readonly channelConfiguration: number
  readonly sampleRate: number
  readonly channels: number
}

/** Tags of descriptors. */
const stream = 0x03
const decoder = 0x04
const specific = 0x05

/** `objectTypeIndication` of AAC (ISO/IEC 14496-1, table 5). */
const mpeg4Audio = 0x40

const sampleRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350]

/** By `channelConfiguration`. 0 means that the stream describes them, which ADTS cannot. */
const channelCounts = [undefined, 1, 2, 3, 4, 5, 6, 8]

/** Yields the descriptors from an offset on. Their sizes have up to four bytes with 7 bits each. */
function* descriptors(body: DataView, from: number): Generator<{ readonly tag: number; readonly body: DataView }> {
  for (let at = from; at + 2 <= body.byteLength;) {
    const tag = body.getUint8(at++)
    let size = 0
    for (let count = 0; count < 4; count++) {
      const byte = body.getUint8(at++)
      size = (size << 7) | (byte & 0x7f)
      if ((byte & 0x80) === 0) break
    }
    if (at + size > body.byteLength) throw malformed("A descriptor of an audio track is cut off.")
    yield { tag, body: new DataView(body.buffer, body.byteOffset + at, size) }
    at += size
  }
}

const find = (body: DataView, from: number, wanted: number): DataView | undefined => {
  for (const { body: found, tag } of descriptors(body, from)) if (tag === wanted) return found
  return undefined
}

/** Where the descriptors in an ES_Descriptor begin: optional fields come first. */
const afterStreamFields = (body: DataView): number => {
  const flags = body.getUint8(2)
  let at = 3
  if (flags & 0x80) at += 2
  if (flags & 0x40) at += 1 + body.getUint8(at)
  if (flags & 0x20) at += 2
  return at
}

/** Bytes of a configuration. That of AAC-LC has 2 to 5, unless channels are described in it. */
const maxConfigBytes = 64

/** Whether an extension after the configuration says that the track is HE-AAC (1.6.5). */
const hasExtension = (bits: (from: number, count: number) => number, length: number): boolean =>
  length >= 5 && bits(16, 11) === 0x2b7 && bits(27, 5) === 5 && bits(32, 1) === 1

/** Parses a configuration; undefined if it is not AAC-LC with frames of 1024 samples. */
const parseSpecific = (body: DataView): AudioConfig | undefined => {
  const bits = (from: number, count: number): number => {
    let value = 0
    for (let bit = from; bit < from + count; bit++)
      value = (value << 1) | ((body.getUint8(bit >> 3) >> (7 - (bit & 7))) & 1)
    return value
  }
  const [objectType, frequencyIndex, channelConfiguration] = [bits(0, 5), bits(5, 4), bits(9, 4)]
  const sampleRate = sampleRates[frequencyIndex]
  const channels = channelCounts[channelConfiguration]
  // The bits after that: frames of 960 samples, and dependence on another stream.
  const isUsual = objectType === 2 && bits(13, 2) === 0 && !hasExtension(bits, body.byteLength)
  if (!isUsual || body.byteLength > maxConfigBytes || sampleRate === undefined || channels === undefined)
    return undefined
  return { record: Boxes.toBytes(body).slice(), frequencyIndex, channelConfiguration, sampleRate, channels }
}

/** Parses the body of `esds`; undefined for a codec without support. */
export const parse = (body: DataView): AudioConfig | undefined => {
  const streamBody = find(body, 4, stream)
  const decoderBody = streamBody && find(streamBody, afterStreamFields(streamBody), decoder)
  if (decoderBody === undefined || decoderBody.getUint8(0) !== mpeg4Audio) return undefined
  const config = find(decoderBody, 13, specific)
  return config === undefined ? undefined : parseSpecific(config)
}
