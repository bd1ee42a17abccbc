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
  const timeAt = (index: number) => (index < count ? (times[index] ?? 0) : end)
  const gaps = new Float64Array(to - from)
  const durations = new Float64Array(to - from)
  let endsAt = 0
  for (let index = from; index < to; index++) {
    gaps[index - from] = (offsets[index] ?? 0) - endsAt
    endsAt = (offsets[index] ?? 0) + (sizes[index] ?? 0)
    durations[index - from] = timeAt(index + 1) - timeAt(index)
  }
  writer.whole(to - from)
  writer.whole(timeAt(from))
  writer.column(gaps)
  writer.column(sizes.subarray(from, to))
  writer.column(durations)
  writer.column(delays.subarray(from, to))
  writer.column(syncs.subarray(from, to))
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
