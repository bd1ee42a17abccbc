/**
 * Reads H.264 as a byte stream (ITU-T H.264, annex B).
 */

/** Types of NAL units (ITU-T H.264, table 7-1). */
const slice = 1
const idrSlice = 5
const sequenceParameters = 7
const pictureParameters = 8

/** Returns the types of the NAL units up to the first slice. */
const typesToFirstSlice = (bytes: Uint8Array): ReadonlyArray<number> => {
  const types: Array<number> = []
  for (let at = 0; at + 3 < bytes.length; at++) {
    if (bytes[at] !== 0 || bytes[at + 1] !== 0 || bytes[at + 2] !== 1) continue
    const type = (bytes[at + 3] ?? 0) & 0x1f
    types.push(type)
    if (type >= slice && type <= idrSlice) break
    at += 3
  }
  return types
}

/** Whether a decoder can begin here: the parameters come before the first slice, which belongs to an IDR picture. */
export const startsAlone = (bytes: Uint8Array): boolean => {
  const types = typesToFirstSlice(bytes)
  return types.at(-1) === idrSlice && types.includes(sequenceParameters) && types.includes(pictureParameters)
}
