/**
 * The NAL units of a frame of H.264 or H.265, each with its length before it (ISO/IEC 14496-15, 5.3.2).
 */
import { malformed } from "../../PackagingError.ts"

const cutOff = () => malformed("A frame of the video is cut off.")

/** Returns where the unit after the one at `at` begins. Throws if its length is wrong. */
const endOf = (bytes: Uint8Array, at: number, frameEnd: number, lengthBytes: number): number => {
  const start = at + lengthBytes
  if (start > frameEnd) throw cutOff()
  let length = 0
  for (let index = at; index < start; index++) length = length * 256 + (bytes[index] ?? 0)
  const end = start + length
  if (length === 0 || end > frameEnd) throw cutOff()
  return end
}

/** Yields the NAL units of a frame. Throws if their lengths are wrong. */
export function* unitsOf(frame: Uint8Array, lengthBytes: number): Generator<Uint8Array> {
  for (let at = 0; at < frame.length;) {
    const end = endOf(frame, at, frame.length, lengthBytes)
    yield frame.subarray(at + lengthBytes, end)
    at = end
  }
}

/** Throws if the lengths of the NAL units of a frame are wrong, which is in memory from `start` to `end`. */
export const check = (bytes: Uint8Array, start: number, end: number, lengthBytes: number): void => {
  for (let at = start; at < end;) at = endOf(bytes, at, end, lengthBytes)
}
