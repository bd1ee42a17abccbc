/**
 * Silent frames of AAC-LC (ISO/IEC 14496-3, 4.4.2): their channels have no bands, and therefore no spectrum.
 */
import { malformed } from "../../PackagingError.ts"
import type { Aac } from "../../Codec.ts"

/** Elements, and the end of a frame, with 3 bits each (table 4.85). */
const single = "000"
const pair = "001"
const lowFrequencies = "011"
const end = "111"

/** The elements of the channels, by `channelConfiguration` (table 1.19). */
const elements: ReadonlyArray<ReadonlyArray<string>> = [
  [],
  [single],
  [pair],
  [single, pair],
  [single, pair, single],
  [single, pair, pair],
  [single, pair, pair, lowFrequencies],
  [single, pair, pair, pair, lowFrequencies]
]

/** `ics_info` (table 4.6): one long window with no bands and no prediction. */
const window = "0".repeat(11)
/** `global_gain`, and no pulses, noise shaping or gain control (table 4.50). */
const gain = "0".repeat(8)
const noTools = "000"

/** Writes an element (tables 4.4 and 4.5). Each needs another tag than those of its kind before it. */
const element = (kind: string, tag: number): string => {
  const begin = `${kind}${tag.toString(2).padStart(4, "0")}`
  const channel = `${gain}${noTools}`
  // The channels of a pair have a window in common, and no mask of middle and side.
  return kind === pair ? `${begin}1${window}00${channel}${channel}` : `${begin}${gain}${window}${noTools}`
}

/** Makes a frame for the channels of a track. */
export const make = ({ channelConfiguration }: Pick<Aac, "channelConfiguration">): Uint8Array => {
  const kinds = elements[channelConfiguration] ?? []
  if (kinds.length === 0) throw malformed("The channels of an audio track are unknown.")
  const written = kinds.map((kind, index) => element(kind, kinds.slice(0, index).filter((one) => one === kind).length))
  const bits = `${written.join("")}${end}`
  return Uint8Array.from({ length: Math.ceil(bits.length / 8) }, (_, index) =>
    Number.parseInt(bits.slice(8 * index, 8 * index + 8).padEnd(8, "0"), 2)
  )
}
