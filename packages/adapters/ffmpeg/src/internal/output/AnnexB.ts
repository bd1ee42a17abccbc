/**
 * Reads H.264 as a byte stream (ITU-T H.264, annex B).
 */

/** Types of NAL units (ITU-T H.264, table 7-1). */
const slice = 1
const idrSlice = 5
const sequenceParameters = 7
const pictureParameters = 8

interface Unit {
  readonly type: number
  /** Where its bytes after the header begin. */
  readonly start: number
}

/** Yields the NAL units. */
function* units(bytes: Uint8Array): Generator<Unit> {
  for (let at = 0; at + 3 < bytes.length; at++) {
    if (bytes[at] !== 0 || bytes[at + 1] !== 0 || bytes[at + 2] !== 1) continue
    yield { type: (bytes[at + 3] ?? 0) & 0x1f, start: at + 4 }
    at += 3
  }
}

/** Returns the types of the NAL units up to the first slice. */
const typesToFirstSlice = (bytes: Uint8Array): ReadonlyArray<number> => {
  const types: Array<number> = []
  for (const { type } of units(bytes)) {
    types.push(type)
    if (type >= slice && type <= idrSlice) break
  }
  return types
}

/** Returns profile, constraints and level of the first sequence parameter set (7.3.2.1.1); undefined if there is none. */
export const profileAndLevel = (bytes: Uint8Array): Uint8Array | undefined => {
  for (const { start, type } of units(bytes)) {
    if (type === sequenceParameters && start + 3 <= bytes.length) return bytes.subarray(start, start + 3)
  }
  return undefined
}

/** Whether a decoder can begin here: the parameters come before the first slice, which belongs to an IDR picture. */
export const startsAlone = (bytes: Uint8Array): boolean => {
  const types = typesToFirstSlice(bytes)
  return types.at(-1) === idrSlice && types.includes(sequenceParameters) && types.includes(pictureParameters)
}
