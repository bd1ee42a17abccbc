import * as FastCheck from "fast-check"
import { expect, it } from "vitest"
import * as ReadPlan from "../../src/packaging/internal/ReadPlan.ts"
import { PackagingError } from "../../src/packaging/PackagingError.ts"
import type { ByteRange } from "../../src/storage/BlobStore.ts"

const mebibyte = 1024 * 1024

const endOf = ({ length, offset }: ByteRange): number => offset + length

/** Units of samples, in the order in which they are written. */
type Units = ReadonlyArray<{ readonly ranges: ReadonlyArray<ByteRange> }>

const toRanges = (units: Units): ReadPlan.Ranges => {
  const all = units.flatMap(({ ranges }) => ranges)
  const firsts = new Uint32Array(units.length + 1)
  for (const [index, { ranges }] of units.entries()) firsts[index + 1] = (firsts[index] ?? 0) + ranges.length
  return {
    offsets: Float64Array.from(all, ({ offset }) => offset),
    lengths: Uint32Array.from(all, ({ length }) => length),
    firsts
  }
}

const toExtents = (units: Units): ReadPlan.Units => ({
  count: units.length,
  starts: Float64Array.from(units, ({ ranges }) => Math.min(...ranges.map(({ offset }) => offset))),
  ends: Float64Array.from(units, ({ ranges }) => Math.max(...ranges.map(endOf))),
  bytes: Uint32Array.from(units, ({ ranges }) => ranges.reduce((sum, { length }) => sum + length, 0))
})

const plan = (units: Units): ReadPlan.ReadPlan => ReadPlan.make(toRanges(units))

const extentAt = ({ extents }: ReadPlan.ReadPlan, extent: number): ByteRange => ({
  offset: extents.offsets[extent] ?? 0,
  length: extents.lengths[extent] ?? 0
})

const attempt = <A>(run: () => A): A | PackagingError => {
  try {
    return run()
  } catch (error) {
    if (error instanceof PackagingError) return error
    throw error
  }
}

/** Follows a plan. Returns the bytes that are read, and the most that are in memory. Throws if a sample is not. */
const follow = (units: Units, planned: ReadPlan.ReadPlan) => {
  const loaded = new Set<number>()
  const { firsts } = planned.ranges
  let [bytes, held, most, unit, sample] = [0, 0, 0, 0, 0]
  for (const { drop, from, load, to } of planned.steps) {
    for (const extent of drop) {
      expect(loaded.delete(extent)).toBe(true)
      held -= extentAt(planned, extent).length
    }
    for (const extent of load) {
      expect(loaded.has(extent)).toBe(false)
      loaded.add(extent)
      held += extentAt(planned, extent).length
      bytes += extentAt(planned, extent).length
    }
    most = Math.max(most, held)
    expect(from).toBe(unit)
    expect(ReadPlan.firstOf(firsts, from)).toBe(sample)
    for (const range of units.slice(from, to).flatMap(({ ranges }) => ranges)) {
      const number = planned.extents.of[sample++] ?? -1
      expect(loaded.has(number)).toBe(true)
      const extent = extentAt(planned, number)
      expect(extent.offset <= range.offset && endOf(range) <= endOf(extent)).toBe(true)
    }
    unit = to
  }
  expect(unit).toBe(units.length)
  return { bytes, most }
}

const length = FastCheck.integer({ min: 1, max: 200_000 })
const offset = FastCheck.integer({ min: 0, max: 40 * mebibyte })
const anywhere = FastCheck.array(
  FastCheck.array(FastCheck.record({ offset, length }), { minLength: 1, maxLength: 8 }),
  {
    minLength: 1,
    maxLength: 60
  }
)

/** Two tracks, whose samples follow each other in the file with gaps, and are written in turns. */
const interleaved = FastCheck.array(
  FastCheck.record({ isFirst: FastCheck.boolean(), gap: FastCheck.integer({ min: 0, max: 40_000 }), length }),
  { minLength: 1, maxLength: 200 }
).map((samples) => {
  const ends = [0, 3_000_000]
  return samples.map(({ gap, isFirst, length }) => {
    const track = isFirst ? 0 : 1
    const range = { offset: (ends[track] ?? 0) + gap, length }
    ends[track] = endOf(range)
    return [range]
  })
})

for (const [name, files, isOrdered] of [
  ["samples anywhere", anywhere, false],
  ["two tracks", interleaved, true]
] as const) {
  it(`plan: ${name} → each sample is in memory when it is written, within the bounds; check says the same`, () => {
    let followed = 0
    for (const file of FastCheck.sample(files, { numRuns: 300, seed: 7 })) {
      const units = file.map((ranges) => ({ ranges }))
      const planned = attempt(() => plan(units))
      const checked = attempt(() => ReadPlan.check(isOrdered ? toExtents(units) : undefined, () => toRanges(units)))
      expect(checked instanceof PackagingError).toBe(planned instanceof PackagingError)
      if (planned instanceof PackagingError) continue
      followed++
      const { bytes, most } = follow(units, planned)
      const written = file.flat().reduce((sum, range) => sum + range.length, 0)
      const ofUnits = units.map((_, unit) => {
        const { firsts } = planned.ranges
        const extents = planned.extents.of.subarray(ReadPlan.firstOf(firsts, unit), ReadPlan.firstOf(firsts, unit + 1))
        return [...new Set(extents)].reduce((sum, extent) => sum + extentAt(planned, extent).length, 0)
      })
      expect(most).toBeLessThanOrEqual(Math.max(mebibyte, ...ofUnits))
      expect(bytes).toBeLessThanOrEqual(Math.max(3 * written + mebibyte, 16 * mebibyte))
    }
    expect(followed).toBeGreaterThan(10)
  })
}

/** Samples of two tracks in the order of the file; those of the second one are written some samples before or after the others. */
const close = FastCheck.record({
  samples: FastCheck.array(
    FastCheck.record({
      isFirst: FastCheck.boolean(),
      gap: FastCheck.integer({ min: 0, max: 20_000 }),
      length: FastCheck.oneof(FastCheck.integer({ min: 1, max: 20_000 }), length)
    }),
    { minLength: 1, maxLength: 300 }
  ),
  shift: FastCheck.integer({ min: -30, max: 30 }),
  perUnit: FastCheck.integer({ min: 1, max: 4 })
}).map(({ perUnit, samples, shift }) => {
  let end = 1_000_000
  const ranges = samples.map(({ gap, length }) => {
    const range = { offset: end + gap, length }
    end = endOf(range)
    return range
  })
  const order = [...samples.keys()].toSorted((one, other) => {
    const [first, second] = [one, other].map((index) => index + (samples[index]?.isFirst === true ? 0 : shift))
    return (first ?? 0) - (second ?? 0)
  })
  return Array.from({ length: Math.ceil(order.length / perUnit) }, (_, unit) =>
    order.slice(unit * perUnit, (unit + 1) * perUnit).flatMap((index) => ranges.slice(index, index + 1))
  )
})

it("plan: samples that are close → each byte is read once, in few reads", () => {
  let found = 0
  for (const file of FastCheck.sample(FastCheck.oneof(close, interleaved), { numRuns: 600, seed: 11 })) {
    const units = file.map((ranges) => ({ ranges }))
    if (!ReadPlan.isClose(toExtents(units))) continue
    found++
    const planned = plan(units)
    const loads = planned.steps.flatMap(({ load }) => load)
    expect(new Set(loads).size).toBe(loads.length)
    const written = file.flat().reduce((sum, range) => sum + range.length, 0)
    expect(loads.length).toBeLessThanOrEqual(64 + written / 65_536)
    follow(units, planned)
  }
  expect(found).toBeGreaterThan(100)
})

it("plan: samples next to each other → few reads, of each byte once", () => {
  const units = Array.from({ length: 2000 }, (_, index) => ({ ranges: [{ offset: 1000 * index, length: 1000 }] }))
  const planned = plan(units)
  expect(follow(units, planned).bytes).toBe(2_000_000)
  expect(planned.steps.flatMap(({ load }) => load).length).toBe(8)
})

it("plan: tracks at both ends of a file → refused only if it would be read in too many pieces", () => {
  const apart = (bytes: number) =>
    Array.from({ length: 400 }, (_, index) => ({
      ranges: [{ offset: (index % 2) * 1_000_000_000 + index * bytes, length: bytes }]
    }))
  expect(follow(apart(2000), plan(apart(2000))).bytes).toBeLessThan(2_000_000)
  const scattered = Array.from({ length: 400 }, (_, index) => ({
    ranges: [{ offset: index * 1_000_000, length: 100 }]
  }))
  expect(() => plan(scattered)).toThrow("too far apart")
  expect(() => ReadPlan.check(toExtents(scattered), () => toRanges(scattered))).toThrow("too far apart")
})
