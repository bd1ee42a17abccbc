/**
 * The samples of a track in one segment as bytes. Each property is a column of runs, since most samples follow each other without a
 * gap, and last equally long: video has some four bytes a sample, audio three.
 */
import { malformed } from "../../PackagingError.ts"
import type { Samples } from "../../Samples.ts"
import type { ByteReader, ByteWriter } from "./Bytes.ts"

/** Numbers of both signs as whole numbers, the small ones first. */
const fold = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)
const unfold = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)

const writeColumn = (writer: ByteWriter, count: number, valueAt: (index: number) => number): void => {
  for (let index = 0; index < count;) {
    const value = valueAt(index)
    const from = index++
    while (index < count && valueAt(index) === value) index++
    writer.whole(fold(value))
    writer.whole(index - from)
  }
}

const readColumn = (reader: ByteReader, count: number, set: (index: number, value: number) => void): void => {
  for (let index = 0; index < count;) {
    const value = unfold(reader.whole())
    const end = index + reader.whole()
    if (end <= index || end > count) throw malformed("An index is damaged.")
    for (; index < end; index++) set(index, value)
  }
}

/** Writes the samples from `from` to `to`. */
export const write = (writer: ByteWriter, samples: Samples, from: number, to: number): void => {
  const { count, delays, end, offsets, sizes, syncs, times } = samples
  const timeAt = (index: number) => (index < count ? (times[index] ?? 0) : end)
  const endOf = (index: number) => (index < from ? 0 : (offsets[index] ?? 0) + (sizes[index] ?? 0))
  writer.whole(to - from)
  writer.whole(timeAt(from))
  writeColumn(writer, to - from, (index) => (offsets[from + index] ?? 0) - endOf(from + index - 1))
  writeColumn(writer, to - from, (index) => sizes[from + index] ?? 0)
  writeColumn(writer, to - from, (index) => timeAt(from + index + 1) - timeAt(from + index))
  writeColumn(writer, to - from, (index) => delays[from + index] ?? 0)
  writeColumn(writer, to - from, (index) => syncs[from + index] ?? 0)
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
  readColumn(reader, count, (index, gap) => (offsets[index] = gap))
  readColumn(reader, count, (index, size) => (sizes[index] = size))
  let at = 0
  for (let index = 0; index < count; index++) {
    at += offsets[index] ?? 0
    offsets[index] = at
    if (at < 0) throw malformed("An index is damaged.")
    at += sizes[index] ?? 0
    if (at > fileBytes) throw malformed("An index is damaged.")
  }
  readColumn(reader, count, (index, duration) => {
    times[index] = end
    end += duration
  })
  readColumn(reader, count, (index, delay) => (delays[index] = delay))
  readColumn(reader, count, (index, sync) => (syncs[index] = sync))
  return { count, offsets, sizes, times, delays, syncs, end }
}
