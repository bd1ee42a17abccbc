/**
 * Decides which ranges of a file are read for a segment, and how long each stays in memory.
 *
 * Samples that are close together in the file are read at once. The ranges in memory take at most `maxBytes`, or as much as one unit
 * needs. A file whose tracks are far apart is read in turns; a range that was dropped too early is read again.
 */
import { unsupported } from "../PackagingError.ts"
import * as ArrayMemory from "./ArrayMemory.ts"
import * as Memory from "./Memory.ts"

/** Reads, and the units of samples that are written then. */
export interface Step {
  /** Extents that are read before, and kept. */
  readonly load: ReadonlyArray<number>
  /** Those that are forgotten before that. */
  readonly drop: ReadonlyArray<number>
  /** The first unit, and the one after the last. */
  readonly from: number
  readonly to: number
}

export interface ReadPlan {
  readonly ranges: Ranges
  readonly steps: ReadonlyArray<Step>
  readonly extents: Extents
}

/** Where samples are, in the order in which they are written. */
export interface Ranges {
  readonly offsets: Float64Array
  readonly lengths: Uint32Array
  /** The first sample of each unit, and at last the count of samples; undefined if each sample is a unit. */
  readonly firsts: Uint32Array | undefined
}

/** Bytes of one read, unless a sample is larger. */
const extentBytes = Memory.large.readBytes
/** Bytes between samples that are read rather than skipped. */
const gapBytes = 16 * 1024
/** The same where samples are so far apart that there would be too many reads: packets of audio between large frames. */
const wideGapBytes = 128 * 1024
/** Bytes in memory. */
const maxBytes = 1024 * 1024
/** Units that are written at once, at most: those of audio and of black pictures are small. */
const maxUnits = 256
/** Bytes that are read for each byte that is written, at most, beyond `maxBytes`. */
const maxCost = 3
/** Bytes that are read with wide gaps, at most. */
const maxWideBytes = 16 * 1024 * 1024
/** Reads of a segment, at most: some, and one for so many bytes that are written. In a file that is interleaved well they are larger. */
const freeReads = 64
const bytesPerRead = 64 * 1024

/**
 * Returns the samples in the order of the file. Those of two tracks, each in the order of the file, need no sorting: the samples that
 * are behind an earlier one are in order among themselves, so that they are merged with the others.
 */
const inFileOrder = (offsets: Float64Array): Uint32Array => {
  const count = offsets.length
  const { uint32 } = ArrayMemory.make(2 * 4 * count)
  const order = uint32(count)
  const behind = uint32(count)
  let [ahead, late, last, lastBehind] = [0, 0, -1, -1]
  for (let index = 0; index < count; index++) {
    const offset = offsets[index] ?? 0
    if (offset >= last) {
      order[ahead++] = index
      last = offset
    } else if (offset >= lastBehind) {
      behind[late++] = index
      lastBehind = offset
    } else {
      for (let all = 0; all < count; all++) order[all] = all
      return order.toSorted((one, other) => (offsets[one] ?? 0) - (offsets[other] ?? 0))
    }
  }
  // From the end, so that no sample is overwritten before it is moved.
  for (let at = count - 1; late > 0; at--) {
    const one = order[ahead - 1] ?? 0
    const other = behind[late - 1] ?? 0
    if (ahead > 0 && (offsets[one] ?? 0) > (offsets[other] ?? 0)) {
      order[at] = one
      ahead--
    } else {
      order[at] = other
      late--
    }
  }
  return order
}

/** Ranges of the file that are read at once, each for some samples. */
export interface Extents {
  readonly offsets: Float64Array
  readonly lengths: Float64Array
  /** The extent of each sample. */
  readonly of: Uint32Array
}

/** Joins samples that are close together, up to `most` bytes. */
const join = ({ lengths, offsets }: Ranges, order: Uint32Array, gap: number, most = extentBytes): Extents => {
  const { length: count } = offsets
  const { float64, uint32 } = ArrayMemory.make((2 * 8 + 4) * count)
  const extents = { offsets: float64(count), lengths: float64(count), of: uint32(count) }
  let [extent, start, end] = [-1, 0, 0]
  for (let at = 0; at < count; at++) {
    const index = order[at] ?? 0
    const offset = offsets[index] ?? 0
    const length = lengths[index] ?? 0
    if (extent < 0 || offset - end > gap || offset + length - start > most) {
      start = offset
      end = offset
      extents.offsets[++extent] = start
    }
    end = Math.max(end, offset + length)
    extents.lengths[extent] = end - start
    extents.of[index] = extent
  }
  return extents
}

/** The reads before a unit is written. */
interface Load {
  readonly unit: number
  /** Extents. */
  readonly load: ReadonlyArray<number>
  readonly drop: ReadonlyArray<number>
}

interface Loads {
  readonly loads: ReadonlyArray<Load>
  /** Bytes that are read. */
  readonly bytes: number
  readonly reads: number
}

/** Returns the first sample of a unit. A unit ends where the next one begins. */
export const firstOf = (firsts: Uint32Array | undefined, unit: number): number =>
  firsts === undefined ? unit : (firsts[unit] ?? 0)

/** Goes through the units, and decides before which of them extents are read, and which extents are forgotten then. */
const loadsOf = ({ firsts }: Ranges, { lengths, of }: Extents, mostHeld = maxBytes): Loads => {
  const units = firsts === undefined ? of.length : firsts.length - 1
  const { uint32, uint8 } = ArrayMemory.make((4 + 1) * of.length)
  /** The last unit that needs an extent. */
  const lastUnits = uint32(of.length)
  const isLoaded = uint8(of.length)
  for (let unit = 0; unit < units; unit++) {
    const to = firstOf(firsts, unit + 1)
    for (let index = firstOf(firsts, unit); index < to; index++) lastUnits[of[index] ?? 0] = unit
  }
  /** In the order in which they were loaded. */
  const loaded = new Set<number>()
  const loads: Array<Load> = []
  let [held, bytes, reads] = [0, 0, 0]
  for (let unit = 0; unit < units; unit++) {
    const from = firstOf(firsts, unit)
    const to = firstOf(firsts, unit + 1)
    let isMissing = false
    for (let index = from; index < to; index++) isMissing ||= isLoaded[of[index] ?? 0] === 0
    if (!isMissing) continue
    const needed = new Set(of.subarray(from, to))
    const load = [...needed].filter((extent) => isLoaded[extent] === 0)
    const wanted = load.reduce((sum, extent) => sum + (lengths[extent] ?? 0), 0)
    const drop: Array<number> = []
    for (const extent of loaded) {
      if (needed.has(extent)) continue
      if (held + wanted <= mostHeld && (lastUnits[extent] ?? 0) >= unit) continue
      loaded.delete(extent)
      isLoaded[extent] = 0
      drop.push(extent)
      held -= lengths[extent] ?? 0
    }
    for (const extent of load) {
      loaded.add(extent)
      isLoaded[extent] = 1
    }
    held += wanted
    bytes += wanted
    reads += load.length
    loads.push({ unit, load, drop })
  }
  return { loads, bytes, reads }
}

interface Chosen {
  readonly extents: Extents
  readonly loads: ReadonlyArray<Load>
}

const bytesOf = ({ lengths }: Ranges): number => {
  let bytes = 0
  for (const length of lengths) bytes += length
  return bytes
}

/** Decides how samples are joined. Throws if the file would be read several times over, or in very many pieces. */
const choose = (ranges: Ranges): Chosen => {
  const order = inFileOrder(ranges.offsets)
  const written = bytesOf(ranges)
  const maxReads = freeReads + written / bytesPerRead
  const usual = join(ranges, order, gapBytes)
  const { bytes, loads, reads } = loadsOf(ranges, usual)
  if (reads <= maxReads && bytes <= maxCost * written + maxBytes) return { extents: usual, loads }
  const wide = join(ranges, order, wideGapBytes)
  const others = loadsOf(ranges, wide)
  if (others.reads <= maxReads && others.bytes <= maxWideBytes) return { extents: wide, loads: others.loads }
  throw unsupported("The tracks of the file are too far apart.")
}

/** Larger samples may be a read each. */
const largeBytes = extentBytes / 2

/** Units whose samples are behind each other in the file, in the order in which they are written. The arrays may be longer. */
export interface Units {
  readonly count: number
  /** Where the first sample of each begins, and the last one ends. */
  readonly starts: Float64Array
  readonly ends: Float64Array
  /** Bytes of its samples. */
  readonly bytes: Uint32Array
}

/**
 * Whether units are so close to each other that a plan reads each byte once, and has few reads. Returns false for some others, too. Takes a
 * hundredth of the time of a plan, or less if the units have several samples.
 */
export const isClose = ({ bytes, count, ends, starts }: Units): boolean => {
  const first = starts[0] ?? 0
  let [start, end, written, gaps, large, largest, back, advance] = [first, first, 0, 0, 0, 0, 0, 0]
  for (let unit = 0; unit < count; unit++) {
    const from = starts[unit] ?? 0
    const to = ends[unit] ?? 0
    const length = bytes[unit] ?? 0
    if (from < start) start = from
    if (end - from > back) back = end - from
    if (from > end) gaps += from - end
    gaps += to - from - length
    if (to > end) {
      if (to - end > advance) advance = to - end
      end = to
    }
    if (length > largest) largest = length
    if (length > largeBytes) large += Math.floor(length / largeBytes)
    written += length
  }
  // What is in memory at once: from the unit that is furthest behind up to the end of another, and the rest of the reads at both ends.
  if (back > 0 && back + advance + 2 * Math.max(extentBytes, largest) > maxBytes) return false
  // A read ends before a gap, before a large sample, or after half of its size at least. The first sample may be behind a gap, too.
  const reads = 1 + large + (end - start) / largeBytes
  const maxReads = freeReads + written / bytesPerRead
  return (
    (reads + (gaps + back) / gapBytes <= maxReads && end - start <= maxCost * written + maxBytes) ||
    (reads + (gaps + back) / wideGapBytes <= maxReads && end - start <= maxWideBytes)
  )
}

/** Throws if the samples of a segment are too far apart, as `make` does. Samples without units need a plan for that, and few others do. */
export const check = (units: Units | undefined, toRanges: () => Ranges): void => {
  if (units === undefined || !isClose(units)) choose(toRanges())
}

/** Chooses small reads, and keeps few of them; undefined where that would take very many reads, or read the file several times over. */
const chooseSmall = (ranges: Ranges, readBytes: number): Chosen | undefined => {
  const written = bytesOf(ranges)
  const mostHeld = 2 * readBytes
  const extents = join(ranges, inFileOrder(ranges.offsets), gapBytes, readBytes)
  const { bytes, loads, reads } = loadsOf(ranges, extents, mostHeld)
  const maxReads = freeReads + (2 * written) / readBytes
  return reads <= maxReads && bytes <= 2 * written + mostHeld ? { extents, loads } : undefined
}

/**
 * Plans the reads for units, in their order, of `readBytes` bytes each as far as possible. Throws if the file would be read several times
 * over, or in very many pieces.
 */
export const make = (ranges: Ranges, readBytes = extentBytes): ReadPlan => {
  const { extents, loads } = (readBytes < extentBytes ? chooseSmall(ranges, readBytes) : undefined) ?? choose(ranges)
  const count = (ranges.firsts?.length ?? ranges.offsets.length + 1) - 1
  const steps: Array<Step> = []
  for (const [index, { drop, load, unit }] of loads.entries()) {
    const end = loads[index + 1]?.unit ?? count
    for (let from = unit; from < end; from += maxUnits) {
      const isFirst = from === unit
      steps.push({
        load: isFirst ? load : [],
        drop: isFirst ? drop : [],
        from,
        to: Math.min(from + maxUnits, end)
      })
    }
  }
  return { ranges, steps, extents }
}
