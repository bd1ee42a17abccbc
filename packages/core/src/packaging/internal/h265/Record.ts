/**
 * The record of a decoder's configuration for H.265, the content of the box `hvcC` (ISO/IEC 14496-15, 8.3.3.1).
 */
import { Hevc } from "../../Codec.ts"
import { limitExceeded, malformed } from "../../PackagingError.ts"
import * as Boxes from "../mp4/Boxes.ts"
import { types } from "./NalUnits.ts"

/** Where the number of arrays is, and the first of them. */
const countAt = 22
const arraysAt = 23

/** NAL units in all arrays. Those of encoders have three to five. */
const maxUnits = 64

/** Bit of the first byte of an array: the samples have no further units of its type. */
const complete = 0x80

interface Unit {
  readonly type: number
  readonly bytes: Uint8Array
}

/** Reads the arrays of NAL units. `onArray` gets where each begins. */
const readUnits = (body: DataView, onArray: (at: number) => void = () => {}): ReadonlyArray<Unit> => {
  const units: Array<Unit> = []
  let at = arraysAt
  for (let array = body.getUint8(countAt); array > 0; array--) {
    onArray(at)
    const type = body.getUint8(at) & 0x3f
    const count = body.getUint16(at + 1)
    if (units.length + count > maxUnits) throw limitExceeded("The video has too many parameters.")
    at += 3
    for (let index = 0; index < count; index++) {
      const length = body.getUint16(at)
      if (length === 0 || at + 2 + length > body.byteLength) throw malformed("The parameters of the video are cut off.")
      units.push({ type, bytes: Boxes.toBytes(body, at + 2, at + 2 + length).slice() })
      at += 2 + length
    }
  }
  return units
}

/** Returns the name without its entry (ISO/IEC 14496-15, annex E), as in `1.6.L93.B0`. */
const nameOf = (body: DataView): string => {
  const first = body.getUint8(1)
  const space = ["", "A", "B", "C"][first >> 6] ?? ""
  let compatibility = 0
  for (let bit = 0; bit < 32; bit++) if ((body.getUint32(2) >>> bit) & 1) compatibility += 2 ** (31 - bit)
  const constraints = Array.from({ length: 6 }, (_, index) => body.getUint8(6 + index))
  while (constraints.at(-1) === 0) constraints.pop()
  const level = `${(first & 0x20) === 0 ? "L" : "H"}${body.getUint8(12)}`
  const profile = `${space}${first & 0x1f}.${compatibility.toString(16)}`
  return [profile, level, ...constraints.map((value) => value.toString(16).toUpperCase())].join(".")
}

/** Parses a record. `entry` is the type of the sample entry that has it. */
export const parse = (entry: string, body: DataView, { boxes, isWhole }: Pick<Hevc, "boxes" | "isWhole">): Hevc => {
  const units = readUnits(body)
  const unitsOf = (wanted: number) => units.flatMap(({ bytes, type }) => (type === wanted ? [bytes] : []))
  return Hevc({
    name: `${entry}.${nameOf(body)}`,
    record: Boxes.toBytes(body).slice(),
    lengthBytes: (body.getUint8(21) & 3) + 1,
    videoParameters: unitsOf(types.videoParameters),
    sequenceParameters: unitsOf(types.sequenceParameters),
    pictureParameters: unitsOf(types.pictureParameters),
    boxes,
    isWhole
  })
}

/** Returns a codec of the entry `hvc1`, whose samples have no further parameters, in the form that all players of H.265 read. */
export const toComplete = (codec: Hevc): Hevc => {
  const record = codec.record.slice()
  readUnits(Boxes.toView(record), (at) => (record[at] = (record[at] ?? 0) | complete))
  return { ...codec, name: `hvc1${codec.name.slice(4)}`, record }
}
