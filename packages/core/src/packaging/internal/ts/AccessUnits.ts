/**
 * The units of an MPEG transport stream: a frame of H.264 as a byte stream, or some frames of AAC with ADTS headers. Their sizes follow
 * from those of the samples, so that the size of a segment is known without its bytes.
 */
import type { ByteRange } from "../../../storage/BlobStore.ts"
import type { Aac, Avc } from "../../Codec.ts"
import { malformed, unsupported } from "../../PackagingError.ts"
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
}

export const withClocks = (unit: AccessUnit, clocksBefore: ReadonlyArray<number>): AccessUnit => ({
  ...unit,
  clocksBefore
})

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

const headBytes = ({ decoded, isVideo, shown }: AccessUnit): number =>
  pesHeadBytes + (isVideo && decoded !== shown ? 2 * timeBytes : timeBytes)

/** Returns the bytes of a unit's PES packet. `parameterBytes` are those of `parametersOf`. */
export const bytesOf = (unit: AccessUnit, parameterBytes: number): number => {
  const samples = unit.ranges.reduce((sum, { length }) => sum + length, 0)
  const added = unit.isVideo ? delimiter.length + (unit.isSync ? parameterBytes : 0) : adtsBytes * unit.ranges.length
  return headBytes(unit) + added + samples
}

const streamIds = { video: 0xe0, audio: 0xc0 }

/** Makes the header of a PES packet. That of video does not state its length. */
const makeHead = (unit: AccessUnit, bytes: number): Uint8Array => {
  const size = headBytes(unit)
  const head = new Uint8Array(size)
  const hasBoth = size > pesHeadBytes + timeBytes
  const length = unit.isVideo ? 0 : bytes - 6
  head.set([0, 0, 1, unit.isVideo ? streamIds.video : streamIds.audio, length >> 8, length & 0xff])
  // Marker bits and data alignment; which times follow; their bytes.
  head.set([0x84, hasBoth ? 0xc0 : 0x80, size - pesHeadBytes], 6)
  Packets.writeTime(head, pesHeadBytes, hasBoth ? 3 : 2, unit.shown)
  if (hasBoth) Packets.writeTime(head, pesHeadBytes + timeBytes, 1, unit.decoded)
  return head
}

/** Replaces the length before each NAL unit by a start code, in place. */
const toByteStream = (sample: Uint8Array): void => {
  const view = new DataView(sample.buffer, sample.byteOffset, sample.byteLength)
  for (let at = 0; at < sample.length;) {
    if (at + 4 > sample.length) throw malformed("A frame of the video is cut off.")
    const end = at + 4 + view.getUint32(at)
    if (end > sample.length) throw malformed("A frame of the video is cut off.")
    sample.set(startCode, at)
    at = end
  }
}

const noBytes = new Uint8Array()
const zeros = new Uint8Array(delimiter.length)

/** Returns the PES packet of a frame of video, in chunks. Changes the sample. */
export const videoChunks = (
  unit: AccessUnit,
  sample: Uint8Array,
  parameters: Uint8Array
): ReadonlyArray<Uint8Array> => {
  toByteStream(sample)
  // A frame with a delimiter of its own gets zeros at its end instead, which a byte stream permits (annex B), so that its size is the same.
  const isDelimited = sample.length > 4 && ((sample[4] ?? 0) & 0x1f) === delimiterType
  const before = unit.isSync ? parameters : noBytes
  const head = makeHead(unit, 0)
  if (!isDelimited) return [head, delimiter, before, sample]
  const rest = sample.subarray(delimiter.length)
  if (!startCode.every((byte, index) => rest.length === 0 || rest[index] === byte)) {
    throw malformed("A delimiter of the video has another length.")
  }
  return [head, sample.subarray(0, delimiter.length), before, rest, zeros]
}

/** Makes the header of an AAC frame (ISO/IEC 14496-3, 1.A.2). */
const makeAdts = ({ channelConfiguration, frequencyIndex }: Aac, bytes: number): Uint8Array => {
  const length = bytes + adtsBytes
  return Uint8Array.of(
    0xff,
    0xf1,
    0x40 | (frequencyIndex << 2) | (channelConfiguration >> 2),
    ((channelConfiguration & 3) << 6) | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc
  )
}

/** Throws if a sample cannot be a frame of ADTS. */
export const checkAudio = ({ length }: ByteRange): void => {
  if (length + adtsBytes > maxAdtsBytes) throw unsupported("A packet of audio is too large.")
}

/** Returns the PES packet of frames of AAC, in chunks. */
export const audioChunks = (
  unit: AccessUnit,
  samples: ReadonlyArray<Uint8Array>,
  codec: Aac
): ReadonlyArray<Uint8Array> => [
  makeHead(unit, bytesOf(unit, 0)),
  ...samples.flatMap((sample) => [makeAdts(codec, sample.length), sample])
]
