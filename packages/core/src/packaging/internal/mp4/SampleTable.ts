/**
 * The tables of a track's samples in a file without fragments (ISO/IEC 14496-12, 8.6 and 8.7). Each function reads one table, which
 * takes a few milliseconds for a million samples.
 */
import { limitExceeded, malformed, unsupported } from "../../PackagingError.ts"
import { type Numbers, numbers } from "../../Samples.ts"
import * as Boxes from "./Boxes.ts"
import * as Limits from "./Limits.ts"

/** Bytes of version, flags and the count of entries. */
const tableHead = 8

/** Returns the count of entries of a table, all of which are there. */
const countEntries = (body: DataView, entryBytes: number, countAt = 4): number => {
  const count = body.getUint32(countAt)
  if (countAt + 4 + count * entryBytes > body.byteLength) throw malformed("A table of samples is cut off.")
  return count
}

const checkSize = (size: number): void => {
  if (size > Limits.maxSampleBytes) throw limitExceeded("A sample of the file is too large.")
}

/** Checks the bytes of the samples of a track. Otherwise a small file could have segments without end, of the same bytes. */
const checkBytes = (bytes: number, fileBytes: number): void => {
  if (bytes > fileBytes) throw malformed("The samples are larger than the file.")
}

/** Checks a count of samples of all tracks. */
export const checkCount = (count: number): void => {
  if (count > Limits.maxSamples) throw limitExceeded("The file has too many samples.")
}

/** Whether the tables describe samples. Those of a file with fragments usually do not. */
export const hasSamples = (stbl: DataView): boolean => (Boxes.find(stbl, "stsz")?.getUint32(8) ?? 0) > 0

/** Reads the sizes of `stsz` (8.7.3.2). `stz2` is not used for video. */
export const sizes = (stbl: DataView, fileBytes: number): Uint32Array => {
  const body = Boxes.get(stbl, "stsz")
  const fixed = body.getUint32(4)
  if (fixed !== 0) {
    checkSize(fixed)
    const count = body.getUint32(8)
    checkCount(count)
    checkBytes(count * fixed, fileBytes)
    return new Uint32Array(count).fill(fixed)
  }
  const count = countEntries(body, 4, 8)
  checkCount(count)
  const result = new Uint32Array(count)
  let total = 0
  for (let index = 0; index < count; index++) {
    const size = body.getUint32(12 + 4 * index)
    checkSize(size)
    result[index] = size
    total += size
  }
  checkBytes(total, fileBytes)
  return result
}

/** Reads the decoding times of `stts` (8.6.1.2); one more than there are samples, since the last is the end. Returns whether they increase. */
export const times = (stbl: DataView, count: number): { readonly times: Numbers; readonly isIncreasing: boolean } => {
  const body = Boxes.get(stbl, "stts")
  const entries = countEntries(body, 8)
  // A negative duration counts as a very long one here, and is refused below.
  let [latest, left] = [0, count]
  for (let entry = 0; entry < entries && left > 0; entry++) {
    const at = tableHead + 8 * entry
    const run = Math.min(body.getUint32(at), left)
    latest += run * body.getUint32(at + 4)
    left -= run
  }
  const result = numbers(count + 1, latest)
  let [index, time, delta] = [0, 0, 0]
  let isIncreasing = true
  for (let entry = 0; entry < entries && index < count; entry++) {
    const at = tableHead + 8 * entry
    const run = Math.min(body.getUint32(at), count - index)
    // Some encoders write a negative duration, which readers take for a very long one.
    delta = body.getInt32(at + 4)
    if (delta < 0) throw unsupported("A sample has a negative duration.")
    if (delta === 0) isIncreasing = false
    for (const end = index + run; index < end; index++) {
      result[index] = time
      time += delta
    }
  }
  if (index < count) throw malformed("Samples have no time.")
  if (!Number.isSafeInteger(time)) throw malformed("The file is too long.")
  result[count] = time
  return { times: result, isIncreasing }
}

/** Reads `ctts` (8.6.1.3). QuickTime writes negative values in version 0, too. Returns whether there are delays. */
export const delays = (stbl: DataView, count: number): { readonly delays: Int32Array; readonly isDelayed: boolean } => {
  const result = new Int32Array(count)
  const body = Boxes.find(stbl, "ctts")
  if (body === undefined) return { delays: result, isDelayed: false }
  const entries = countEntries(body, 8)
  let index = 0
  let isDelayed = false
  for (let entry = 0; entry < entries && index < count; entry++) {
    const at = tableHead + 8 * entry
    const end = Math.min(index + body.getUint32(at), count)
    const delay = body.getInt32(at + 4)
    if (delay !== 0) isDelayed = true
    for (; index < end; index++) result[index] = delay
  }
  return { delays: result, isDelayed }
}

/** Reads `stss` (8.6.2). Without it, no sample needs another. */
export const syncs = (stbl: DataView, count: number): Uint8Array => {
  const result = new Uint8Array(count)
  const body = Boxes.find(stbl, "stss")
  if (body === undefined) return result.fill(1)
  const entries = countEntries(body, 4)
  for (let entry = 0; entry < entries; entry++) {
    const number = body.getUint32(tableHead + 4 * entry)
    if (number < 1 || number > count) throw malformed("A keyframe is not among the samples.")
    result[number - 1] = 1
  }
  return result
}

/** Returns the offsets of chunks: of `stco`, or of `co64` (8.7.5). */
const chunkOffsets = (stbl: DataView): { readonly count: number; readonly at: (chunk: number) => number } => {
  const short = Boxes.find(stbl, "stco")
  if (short !== undefined) {
    return { count: countEntries(short, 4), at: (chunk) => short.getUint32(tableHead + 4 * chunk) }
  }
  const long = Boxes.get(stbl, "co64")
  return { count: countEntries(long, 8), at: (chunk) => Boxes.uint64At(long, tableHead + 8 * chunk) }
}

/**
 * Reads which samples are in which chunk (`stsc`, 8.7.4). Returns where each sample begins, all of them within the file, and whether each
 * one is behind the one before.
 */
export const offsets = (
  stbl: DataView,
  sizes: Uint32Array,
  fileBytes: number
): { readonly offsets: Numbers; readonly isOrdered: boolean } => {
  const result = numbers(sizes.length, fileBytes)
  const chunks = chunkOffsets(stbl)
  const runs = Boxes.get(stbl, "stsc")
  const entries = countEntries(runs, 12)
  // One loop over the samples: chunks have few, and the engine leaves its compiled code at the end of an inner loop.
  let [entry, chunk, endOfRun, perChunk, left, offset] = [0, 0, 0, 0, 0, 0]
  let isOrdered = true
  for (let index = 0; index < sizes.length; index++) {
    for (; left === 0; chunk++) {
      for (; chunk === endOfRun; entry++) {
        if (entry === entries) throw malformed("Samples have no place in the file.")
        const at = tableHead + 12 * entry
        perChunk = runs.getUint32(at + 4)
        endOfRun = entry + 1 < entries ? Math.min(runs.getUint32(at + 12) - 1, chunks.count) : chunks.count
        if (runs.getUint32(at) - 1 !== chunk || endOfRun < chunk) throw malformed("The chunks are out of order.")
        if (runs.getUint32(at + 8) !== 1) throw unsupported("A track changes its codec.")
      }
      const begin = chunks.at(chunk)
      if (begin < offset) isOrdered = false
      offset = begin
      left = perChunk
    }
    result[index] = offset
    offset += sizes[index] ?? 0
    if (offset > fileBytes) throw malformed("The file is cut off: samples are after its end.")
    left--
  }
  return { offsets: result, isOrdered }
}
