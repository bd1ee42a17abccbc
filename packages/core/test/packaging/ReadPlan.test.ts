import * as FastCheck from "fast-check"
import { expect, it } from "vitest"
import * as ReadPlan from "../../src/packaging/internal/ReadPlan.ts"
import { PackagingError } from "../../src/packaging/PackagingError.ts"
import type { ByteRange } from "../../src/storage/BlobStore.ts"

const mebibyte = 1024 * 1024

const endOf = ({ length, offset }: ByteRange): number => offset + length

const toRanges = (units: ReadonlyArray<ReadPlan.Unit>): ReadPlan.Ranges => {
  const all = units.flatMap(({ ranges }) => ranges)
  const firsts = new Uint32Array(units.length + 1)
  for (const [index, { ranges }] of units.entries()) firsts[index + 1] = (firsts[index] ?? 0) + ranges.length
  return {
    offsets: Float64Array.from(all, ({ offset }) => offset),
    lengths: Float64Array.from(all, ({ length }) => length),
    firsts
  }
}

const attempt = <A>(run: () => A): A | PackagingError => {
  try {
    return run()
  } catch (error) {
    if (error instanceof PackagingError) return error
    throw error
  }
}

/** Follows a plan. Returns the bytes that are read, and the most that are in memory. Throws if a sample is not. */
const follow = (units: ReadonlyArray<ReadPlan.Unit>, { extentOf, steps }: ReadPlan.ReadPlan<ReadPlan.Unit>) => {
  const loaded = new Set<ByteRange>()
  let [bytes, held, most] = [0, 0, 0]
  for (const { drop, load, units: written } of steps) {
    for (const extent of drop) {
      expect(loaded.delete(extent)).toBe(true)
      held -= extent.length
    }
    for (const extent of load) {
      expect(loaded.has(extent)).toBe(false)
      loaded.add(extent)
      held += extent.length
      bytes += extent.length
    }
    most = Math.max(most, held)
    for (const range of written.flatMap(({ ranges }) => ranges)) {
      const extent = extentOf(range)
      expect(loaded.has(extent)).toBe(true)
      expect(extent.offset <= range.offset && endOf(range) <= endOf(extent)).toBe(true)
    }
  }
  expect(steps.flatMap((step) => step.units)).toEqual(units)
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

for (const [name, files] of [
  ["samples anywhere", anywhere],
  ["two tracks", interleaved]
] as const) {
  it(`plan: ${name} → each sample is in memory when it is written, within the bounds; check says the same`, () => {
    let planned = 0
    for (const file of FastCheck.sample(files, { numRuns: 300, seed: 7 })) {
      const units = file.map((ranges) => ({ ranges }))
      const plan = attempt(() => ReadPlan.make(units))
      const checked = attempt(() => ReadPlan.check(toRanges(units)))
      expect(checked instanceof PackagingError).toBe(plan instanceof PackagingError)
      if (plan instanceof PackagingError) continue
      planned++
      const { bytes, most } = follow(units, plan)
      const written = file.flat().reduce((sum, range) => sum + range.length, 0)
      const ofUnits = units.map(({ ranges }) =>
        [...new Set(ranges.map(plan.extentOf))].reduce((sum, range) => sum + range.length, 0)
      )
      expect(most).toBeLessThanOrEqual(Math.max(mebibyte, ...ofUnits))
      expect(bytes).toBeLessThanOrEqual(Math.max(3 * written + mebibyte, 16 * mebibyte))
    }
    expect(planned).toBeGreaterThan(10)
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
    if (!ReadPlan.isClose(toRanges(units))) continue
    found++
    const plan = ReadPlan.make(units)
    const loads = plan.steps.flatMap(({ load }) => load)
    expect(new Set(loads).size).toBe(loads.length)
    const written = file.flat().reduce((sum, range) => sum + range.length, 0)
    expect(loads.length).toBeLessThanOrEqual(64 + written / 65_536)
    follow(units, plan)
  }
  expect(found).toBeGreaterThan(100)
})

it("plan: samples next to each other → few reads, of each byte once", () => {
  const units = Array.from({ length: 2000 }, (_, index) => ({ ranges: [{ offset: 1000 * index, length: 1000 }] }))
  const plan = ReadPlan.make(units)
  expect(follow(units, plan).bytes).toBe(2_000_000)
  expect(plan.steps.flatMap(({ load }) => load).length).toBe(8)
})

it("plan: tracks at both ends of a file → refused only if it would be read in too many pieces", () => {
  const apart = (bytes: number) =>
    Array.from({ length: 400 }, (_, index) => ({
      ranges: [{ offset: (index % 2) * 1_000_000_000 + index * bytes, length: bytes }]
    }))
  expect(follow(apart(2000), ReadPlan.make(apart(2000))).bytes).toBeLessThan(2_000_000)
  const scattered = Array.from({ length: 400 }, (_, index) => ({
    ranges: [{ offset: index * 1_000_000, length: 100 }]
  }))
  expect(() => ReadPlan.make(scattered)).toThrow("too far apart")
  expect(() => ReadPlan.check(toRanges(scattered))).toThrow("too far apart")
})
