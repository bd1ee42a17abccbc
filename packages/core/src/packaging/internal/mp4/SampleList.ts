/**
 * Samples that are found one after the other, in memory that grows with them.
 */
import { limitExceeded, malformed, unsupported } from "../../PackagingError.ts"
import type { Samples } from "../../Samples.ts"
import * as Limits from "./Limits.ts"

export interface Sample {
  readonly offset: number
  readonly size: number
  readonly duration: number
  readonly delay: number
  readonly isSync: boolean
}

export interface SampleList {
  /** Adds a sample at the end of the one before. */
  readonly add: (sample: Sample) => void
  /** Adds the samples of tables. */
  readonly addAll: (samples: Samples) => void
  /** Sets the time of the next sample. */
  readonly startAt: (time: number) => void
  readonly toSamples: () => Samples
}

const firstCapacity = 1024

const grow = <A extends Float64Array | Uint32Array | Int32Array | Uint8Array>(array: A, larger: A): A => {
  larger.set(array)
  return larger
}

/** Makes an empty list for a file of `fileBytes` bytes. `total` counts the samples of all tracks. */
export const make = (fileBytes: number, total: { count: number }): SampleList => {
  let capacity = firstCapacity
  let count = 0
  let bytes = 0
  let end = 0
  let offsets = new Float64Array(capacity)
  let sizes = new Uint32Array(capacity)
  let times = new Float64Array(capacity)
  let delays = new Int32Array(capacity)
  let syncs = new Uint8Array(capacity)
  let isPlain = true
  let isOrdered = true
  const add = ({ delay, duration, isSync, offset, size }: Sample): void => {
    if (++total.count > Limits.maxSamples) throw limitExceeded("The file has too many samples.")
    if (size > Limits.maxSampleBytes) throw limitExceeded("A sample of the file is too large.")
    if (offset < 0 || offset + size > fileBytes) throw malformed("The file is cut off: samples are after its end.")
    bytes += size
    if (bytes > fileBytes) throw malformed("The samples are larger than the file.")
    if (!Number.isSafeInteger(end + duration)) throw malformed("The file is too long.")
    if (count === capacity) {
      capacity *= 2
      offsets = grow(offsets, new Float64Array(capacity))
      sizes = grow(sizes, new Uint32Array(capacity))
      times = grow(times, new Float64Array(capacity))
      delays = grow(delays, new Int32Array(capacity))
      syncs = grow(syncs, new Uint8Array(capacity))
    }
    if (delay !== 0 || (count > 0 && end <= (times[count - 1] ?? 0))) isPlain = false
    if (count > 0 && offset < (offsets[count - 1] ?? 0) + (sizes[count - 1] ?? 0)) isOrdered = false
    offsets[count] = offset
    sizes[count] = size
    times[count] = end
    delays[count] = delay
    syncs[count] = isSync ? 1 : 0
    count++
    end += duration
  }
  const addAll = (samples: Samples): void => {
    for (let index = 0; index < samples.count; index++) {
      const time = samples.times[index] ?? 0
      add({
        offset: samples.offsets[index] ?? 0,
        size: samples.sizes[index] ?? 0,
        duration: (index + 1 < samples.count ? (samples.times[index + 1] ?? 0) : samples.end) - time,
        delay: samples.delays[index] ?? 0,
        isSync: samples.syncs[index] === 1
      })
    }
  }
  const startAt = (time: number): void => {
    if (count > 0 && time < (times[count - 1] ?? 0)) throw unsupported("The fragments of a track overlap.")
    end = time
  }
  const toSamples = (): Samples => ({
    count,
    offsets: offsets.subarray(0, count),
    sizes: sizes.subarray(0, count),
    times: times.subarray(0, count),
    delays: delays.subarray(0, count),
    syncs: syncs.subarray(0, count),
    end,
    isPlain,
    isOrdered
  })
  return { add, addAll, startAt, toSamples }
}
