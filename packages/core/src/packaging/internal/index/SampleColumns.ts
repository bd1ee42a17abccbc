/**
 * The samples of a track in one segment as bytes. Each property is a column of runs, since most samples follow each other without a
 * gap, and last equally long: video has some four bytes a sample, audio three.
 */
import { malformed } from "../../PackagingError.ts"
import type { Samples } from "../../Samples.ts"
import type { ByteReader, ByteWriter } from "./Bytes.ts"

/** Writes the samples from `from` to `to`. */
export const write = (writer: ByteWriter, samples: Samples, from: number, to: number): void => {
  const { count, delays, end, offsets, sizes, syncs, times } = samples
  const length = to - from
  writer.whole(length)
  writer.whole(from < count ? (times[from] ?? 0) : end)
  // Each column is written from the same array of the same type, for which the engine has one piece of code.
  const column = writer.toColumn(length)
  let endsAt = 0
  for (let index = 0; index < length; index++) {
    const offset = offsets[from + index] ?? 0
    column[index] = offset - endsAt
    endsAt = offset + (sizes[from + index] ?? 0)
  }
  writer.column(length)
  for (let index = 0; index < length; index++) column[index] = sizes[from + index] ?? 0
  writer.column(length)
  let time = times[from] ?? 0
  for (let index = 0; index < length; index++) {
    const next = from + index + 1 < count ? (times[from + index + 1] ?? 0) : end
    column[index] = next - time
    time = next
  }
  writer.column(length)
  for (let index = 0; index < length; index++) column[index] = delays[from + index] ?? 0
  writer.column(length)
  for (let index = 0; index < length; index++) column[index] = syncs[from + index] ?? 0
  writer.column(length)
}

/** Reads samples that are all within the first `fileBytes` bytes, at most `maxCount`. */
export const read = (reader: ByteReader, maxCount: number, fileBytes: number): Samples => {
  const count = reader.whole()
  if (count > maxCount) throw malformed("An index is damaged.")
  const offsets = new Float64Array(count)
  const sizes = new Uint32Array(count)
  const times = new Float64Array(count)
  const delays = new Int32Array(count)
  const syncs = new Uint8Array(count)
  let end = reader.whole()
  reader.column(offsets)
  reader.column(sizes)
  let at = 0
  for (let index = 0; index < count; index++) {
    at += offsets[index] ?? 0
    offsets[index] = at
    if (at < 0) throw malformed("An index is damaged.")
    at += sizes[index] ?? 0
    if (at > fileBytes) throw malformed("An index is damaged.")
  }
  reader.column(times)
  for (let index = 0; index < count; index++) {
    const duration = times[index] ?? 0
    times[index] = end
    end += duration
  }
  reader.column(delays)
  reader.column(syncs)
  return { count, offsets, sizes, times, delays, syncs, end }
}
