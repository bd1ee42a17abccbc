/**
 * The first elements of a frame of AAC-LC (ISO/IEC 14496-3, 4.4.2): what is there when the bytes are a frame of the track.
 */
import type { Aac } from "../../Codec.ts"
import { malformed } from "../../PackagingError.ts"
import * as BitReader from "../BitReader.ts"

/** Elements (table 4.85). */
const singleChannel = 0
const channelPair = 1
const data = 4
const program = 5
const fill = 6

/** `window_sequence` of eight short windows (table 4.44). */
const eightShort = 2

/** Bands of scale factors by the index of the sampling frequency (tables 4.129 to 4.147): of a long window, and of a short one. */
const longBands = [41, 41, 47, 49, 49, 51, 47, 47, 43, 43, 43, 40, 40]
const shortBands = [12, 12, 12, 14, 14, 14, 15, 15, 15, 15, 15, 15, 15]

const damaged = () => malformed("A frame of the audio is damaged.")

/** Checks `ics_info` (table 4.6), which AAC-LC has without prediction. */
const checkWindows = ({ bits }: BitReader.Bits, frequencyIndex: number): void => {
  if (bits(1) !== 0) throw damaged()
  const isShort = bits(2) === eightShort
  bits(1)
  const bands = bits(isShort ? 4 : 6)
  if (bands > ((isShort ? shortBands : longBands)[frequencyIndex] ?? 0)) throw damaged()
  if (isShort) bits(7)
  else if (bits(1) !== 0) throw damaged()
}

/** Checks the beginning of a channel with windows of its own (table 4.50). */
const checkChannel = (reader: BitReader.Bits, frequencyIndex: number): void => {
  reader.bits(8)
  checkWindows(reader, frequencyIndex)
}

const checkPair = (reader: BitReader.Bits, frequencyIndex: number): void => {
  reader.bits(4)
  if (reader.bits(1) === 0) return checkChannel(reader, frequencyIndex)
  checkWindows(reader, frequencyIndex)
  // The mask of middle and side channels: 3 is reserved.
  if (reader.bits(2) === 3) throw damaged()
}

const skipData = ({ align, bits, skipBytes }: BitReader.Bits): void => {
  bits(4)
  const isAligned = bits(1) === 1
  const count = bits(8)
  const bytes = count === 255 ? count + bits(8) : count
  if (isAligned) align()
  skipBytes(bytes)
}

const skipFill = ({ bits, skipBytes }: BitReader.Bits): void => {
  const count = bits(4)
  skipBytes(count === 15 ? count + bits(8) - 1 : count)
}

/** Checks a frame of one or two channels up to its first window. Throws if no decoder can read it. */
export const check = (frame: Uint8Array, { channelConfiguration, frequencyIndex }: Aac): void => {
  // Each frame ends with an element whose number has all bits set.
  if (frame.every((byte) => byte === 0)) throw damaged()
  const reader = BitReader.ofBytes(frame, damaged)
  while (true) {
    const element = reader.bits(3)
    if (element === data) skipData(reader)
    else if (element === fill) skipFill(reader)
    // A frame may describe its channels anew: a decoder follows that.
    else if (element === program) return
    else if (element === singleChannel && channelConfiguration === 1) {
      reader.bits(4)
      return checkChannel(reader, frequencyIndex)
    } else if (element === channelPair && channelConfiguration === 2) return checkPair(reader, frequencyIndex)
    else throw damaged()
  }
}
