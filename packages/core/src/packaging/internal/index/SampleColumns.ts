/**
 * The samples of a track in one segment as bytes. Each property is a column, of runs if most samples have the same as the one before:
 * they last equally long. Others have equally many bytes, which takes less time than to find out for each number how many it needs. Video
 * and audio have some four bytes a sample.
 */
import { malformed } from "../../PackagingError.ts"
import type { Numbers, Samples } from "../../Samples.ts"
import * as ArrayMemory from "../ArrayMemory.ts"
import type { ByteReader, ByteWriter } from "./Bytes.ts"

/** Whether samples have the same property. Most do, and others are found out with the first ones. */
const isUniform = (values: Int32Array | Uint32Array | Uint8Array, from: number, to: number): boolean => {
  const first = values[from]
  for (let index = from + 1; index < to; index++) if (values[index] !== first) return false
  return true
}

const writeProperty = (writer: ByteWriter, values: Int32Array | Uint8Array, from: number, to: number): void => {
  if (isUniform(values, from, to)) return writer.uniform(values[from] ?? 0, to - from)
  const column = writer.toColumn(to - from)
  for (let index = from; index < to; index++) column[index - from] = values[index] ?? 0
  writer.column(to - from)
}

/** Whether the samples that another one follows last equally long. */
const lastEqually = (times: Numbers, from: number, to: number, duration: number): boolean => {
  let time = times[from] ?? 0
  for (let index = from + 1; index < to; index++) {
    const next = times[index] ?? 0
    if (next - time !== duration) return false
    time = next
  }
  return true
}

const writeDurations = (writer: ByteWriter, { count, end, times }: Samples, from: number, to: number): void => {
  const length = to - from
  const last = (to < count ? (times[to] ?? 0) : end) - (times[to - 1] ?? 0)
  if (lastEqually(times, from, to, last)) return writer.uniform(last, length)
  const column = writer.toColumn(length)
  let time = times[from] ?? 0
  for (let index = 0; index < length - 1; index++) {
    const next = times[from + index + 1] ?? 0
    column[index] = next - time
    time = next
  }
  column[length - 1] = last
  writer.column(length)
}

/** Writes the samples from `from` to `to`. */
export const write = (writer: ByteWriter, samples: Samples, from: number, to: number): void => {
  const { count, delays, end, isPlain, offsets, sizes, syncs, times } = samples
  const length = to - from
  writer.whole(length)
  writer.whole(from < count ? (times[from] ?? 0) : end)
  writer.whole(offsets[from] ?? 0)
  const column = writer.toColumn(length)
  let endsAt = offsets[from] ?? 0
  for (let index = 0; index < length; index++) {
    const offset = offsets[from + index] ?? 0
    column[index] = offset - endsAt
    endsAt = offset + (sizes[from + index] ?? 0)
  }
  writer.column(length)
  if (isUniform(sizes, from, to)) writer.uniform(sizes[from] ?? 0, length)
  else writer.wholes(sizes, from, to)
  writeDurations(writer, samples, from, to)
  if (isPlain) writer.uniform(0, length)
  else writeProperty(writer, delays, from, to)
  writeProperty(writer, syncs, from, to)
}

/** Bytes in memory of the properties of a sample. */
const bytesPerSample = 2 * 8 + 2 * 4 + 1

export interface Bounds {
  readonly maxCount: number
  readonly fileBytes: number
}

/**
 * Reads samples that are all within the first `fileBytes` bytes, at most `maxCount`. `isFirst`: those of the first version, in which all
 * columns are runs and the first gap is the offset.
 */
export const read = (reader: ByteReader, { fileBytes, maxCount }: Bounds, isFirst: boolean): Samples => {
  const count = reader.whole()
  if (count > maxCount) throw malformed("An index is damaged.")
  const arrays = ArrayMemory.make(bytesPerSample * count)
  const offsets = arrays.float64(count)
  const times = arrays.float64(count)
  const sizes = arrays.uint32(count)
  const delays = arrays.int32(count)
  const syncs = arrays.uint8(count)
  let end = reader.whole()
  let at = isFirst ? 0 : reader.whole()
  reader.column(offsets, !isFirst)
  reader.column(sizes, !isFirst)
  for (let index = 0; index < count; index++) {
    at += offsets[index] ?? 0
    offsets[index] = at
    if (at < 0) throw malformed("An index is damaged.")
    at += sizes[index] ?? 0
    if (at > fileBytes) throw malformed("An index is damaged.")
  }
  reader.column(times, !isFirst)
  for (let index = 0; index < count; index++) {
    const duration = times[index] ?? 0
    times[index] = end
    end += duration
  }
  reader.column(delays, !isFirst)
  reader.column(syncs, !isFirst)
  return { count, offsets, sizes, times, delays, syncs, end, isPlain: false, isOrdered: false }
}
