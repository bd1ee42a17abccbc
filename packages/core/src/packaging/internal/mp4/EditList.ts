/**
 * The edit list of a track: which part of it is shown, and when (ISO/IEC 14496-12, 8.6.6).
 */
import { malformed, unsupported } from "../../PackagingError.ts"
import * as Boxes from "./Boxes.ts"

export interface EditList {
  /** Seconds for which nothing is shown first. */
  readonly pause: number
  /** Ticks of the track at which it begins. */
  readonly start: number
  /** Seconds that are shown from there on; null for all. */
  readonly shown: number | null
}

const everything: EditList = { pause: 0, start: 0, shown: null }

/** The only rate: 1.0 as a fixed-point number. */
const usualRate = 0x10000

/** Reads the edit list of a track. Supports pauses before the one edit of media that most files have. */
export const read = (trak: DataView, movieTimeScale: number): EditList => {
  const edts = Boxes.find(trak, "edts")
  const body = edts && Boxes.find(edts, "elst")
  if (body === undefined) return everything
  const isLong = Boxes.versionOf(body) === 1
  const entryBytes = isLong ? 20 : 12
  const count = body.getUint32(4)
  if (8 + count * entryBytes > body.byteLength) throw malformed("An edit list is cut off.")
  let pause = 0
  for (let index = 0; index < count; index++) {
    const at = 8 + index * entryBytes
    const duration = isLong ? Boxes.uint64At(body, at) : body.getUint32(at)
    // -1 in 64 bits is no safe integer, hence the halves.
    const isPause = body.getInt32(isLong ? at + 8 : at + 4) === -1 && body.getInt32(isLong ? at + 12 : at + 4) === -1
    if (isPause) {
      pause += duration / movieTimeScale
      continue
    }
    if (index + 1 < count) throw unsupported("A track consists of several parts.")
    if (body.getUint32(at + entryBytes - 4) !== usualRate) throw unsupported("A track is played at another speed.")
    const start = isLong ? Boxes.uint64At(body, at + 8) : body.getInt32(at + 4)
    if (start < 0) throw malformed("An edit list begins before its track.")
    return { pause, start, shown: duration === 0 ? null : duration / movieTimeScale }
  }
  return { ...everything, pause }
}
