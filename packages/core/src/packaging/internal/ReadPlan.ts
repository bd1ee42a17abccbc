/**
 * Decides which ranges of a file are read for a segment, and how long each stays in memory.
 *
 * Samples that are close together in the file are read at once. The ranges in memory take at most `maxBytes`, or as much as one unit
 * needs. A file whose tracks are far apart is read in turns; a range that was dropped too early is read again.
 */
import type { ByteRange } from "../../storage/BlobStore.ts"
import { unsupported } from "../PackagingError.ts"

/** Samples that are written together. */
export interface Unit {
  /** Where the samples are, in the order in which they are written. */
  readonly ranges: ReadonlyArray<ByteRange>
}

export interface Step<U extends Unit> {
  /** Read before the units are written, and kept. */
  readonly load: ReadonlyArray<ByteRange>
  /** Forgotten before that. */
  readonly drop: ReadonlyArray<ByteRange>
  readonly units: ReadonlyArray<U>
}

export interface ReadPlan<U extends Unit> {
  readonly steps: ReadonlyArray<Step<U>>
  /** Returns the range that is read for a sample. */
  readonly extentOf: (range: ByteRange) => ByteRange
}

/** Bytes of one read, unless a sample is larger. */
const extentBytes = 256 * 1024
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

const endOf = ({ length, offset }: ByteRange): number => offset + length

/** Joins ranges that are close together. Returns the joined range of each. */
const join = (ranges: ReadonlyArray<ByteRange>, gap: number): ReadonlyMap<ByteRange, ByteRange> => {
  const extents = new Map<ByteRange, ByteRange>()
  let members: Array<ByteRange> = []
  let [start, end] = [0, 0]
  const finish = (): void => {
    const extent = { offset: start, length: end - start }
    for (const member of members) extents.set(member, extent)
    members = []
  }
  for (const range of ranges.toSorted((a, b) => a.offset - b.offset)) {
    const isClose = range.offset - end <= gap && endOf(range) - start <= extentBytes
    if (members.length > 0 && !isClose) finish()
    if (members.length === 0) [start, end] = [range.offset, range.offset]
    members.push(range)
    end = Math.max(end, endOf(range))
  }
  finish()
  return extents
}

interface Costs {
  /** Bytes that are read. */
  readonly bytes: number
  readonly reads: number
}

/** Plans the reads for units, with ranges that are joined over gaps up to a size. */
const plan = <U extends Unit>(units: ReadonlyArray<U>, gap: number): ReadPlan<U> & { readonly costs: Costs } => {
  const extents = join(
    units.flatMap((unit) => unit.ranges),
    gap
  )
  const extentOf = (range: ByteRange): ByteRange => extents.get(range) ?? range
  const steps: Array<{ load: Array<ByteRange>; drop: Array<ByteRange>; units: Array<U> }> = []
  /** In the order in which they were loaded. */
  const loaded = new Set<ByteRange>()
  let [held, bytes, reads] = [0, 0, 0]
  for (const unit of units) {
    const needed = new Set(unit.ranges.map(extentOf))
    const load = [...needed].filter((extent) => !loaded.has(extent))
    const last = steps.at(-1)
    if (load.length === 0 && last !== undefined && last.units.length < maxUnits) {
      last.units.push(unit)
      continue
    }
    const wanted = load.reduce((sum, { length }) => sum + length, 0)
    const drop: Array<ByteRange> = []
    for (const extent of loaded) {
      if (held + wanted <= maxBytes) break
      if (needed.has(extent)) continue
      loaded.delete(extent)
      drop.push(extent)
      held -= extent.length
    }
    for (const extent of load) loaded.add(extent)
    held += wanted
    bytes += wanted
    reads += load.length
    steps.push({ load, drop, units: [unit] })
  }
  return { steps, extentOf, costs: { bytes, reads } }
}

/** Plans the reads for units, in their order. Throws if the file would be read several times over, or in very many pieces. */
export const make = <U extends Unit>(units: ReadonlyArray<U>): ReadPlan<U> => {
  const written = units.reduce((sum, { ranges }) => sum + ranges.reduce((bytes, { length }) => bytes + length, 0), 0)
  const maxReads = freeReads + written / bytesPerRead
  const usual = plan(units, gapBytes)
  if (usual.costs.reads <= maxReads && usual.costs.bytes <= maxCost * written + maxBytes) return usual
  const wide = plan(units, wideGapBytes)
  if (wide.costs.reads <= maxReads && wide.costs.bytes <= maxWideBytes) return wide
  throw unsupported("The tracks of the file are too far apart.")
}
