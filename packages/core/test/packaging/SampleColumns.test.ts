import * as FastCheck from "fast-check"
import { expect, it } from "vitest"
import * as Bytes from "../../src/packaging/internal/index/Bytes.ts"
import * as SampleColumns from "../../src/packaging/internal/index/SampleColumns.ts"
import type { Samples } from "../../src/packaging/Samples.ts"

const bounds = { maxCount: 1000, fileBytes: Number.MAX_SAFE_INTEGER }

/** Samples whose gaps are small, large or negative, with runs of equal properties and without. */
const samples = FastCheck.record({
  time: FastCheck.integer({ min: 0, max: 2 ** 40 }),
  offset: FastCheck.integer({ min: 2 ** 41, max: 2 ** 42 }),
  maxGap: FastCheck.constantFrom(0, 100, 40_000, 2 ** 22, 2 ** 33),
  maxSize: FastCheck.constantFrom(1, 200, 60_000, 2 ** 22),
  maxDelay: FastCheck.constantFrom(0, 1, 5000, 2 ** 31 - 1),
  all: FastCheck.array(
    FastCheck.array(FastCheck.double({ min: 0, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 }),
    {
      minLength: 1,
      maxLength: 200
    }
  )
}).map(({ all, maxDelay, maxGap, maxSize, offset, time }): Samples => {
  const count = all.length
  const result = {
    count,
    offsets: new Float64Array(count),
    sizes: Uint32Array.from(all, ([size = 0]) => 1 + Math.floor(size * maxSize)),
    times: new Float64Array(count),
    delays: Int32Array.from(all, ([, delay = 0]) => Math.round((2 * delay - 1) * maxDelay)),
    syncs: Uint8Array.from(all, ([, , sync = 0]) => (sync > 0.9 ? 1 : 0)),
    end: time,
    isPlain: false,
    isOrdered: false
  }
  let at = offset
  for (const [index, [, , , gap = 0, duration = 0]] of all.entries()) {
    at += Math.round((2 * gap - 1) * maxGap)
    result.offsets[index] = at
    at += result.sizes[index] ?? 0
    result.times[index] = result.end
    result.end += duration > 0.5 ? 40 : Math.ceil(duration * 1000)
  }
  return result
})

it("samples: written and read → the same, from any first one", () => {
  FastCheck.assert(
    FastCheck.property(samples, FastCheck.nat(), (all, seed) => {
      const from = seed % all.count
      const writer = Bytes.makeWriter(16)
      SampleColumns.write(writer, all, from, all.count)
      const read = SampleColumns.read(Bytes.makeReader(writer.toBytes()), bounds, false)
      expect(read).toEqual({
        count: all.count - from,
        offsets: all.offsets.slice(from),
        sizes: all.sizes.slice(from),
        times: all.times.slice(from),
        delays: all.delays.slice(from),
        syncs: all.syncs.slice(from),
        end: all.end,
        isPlain: false,
        isOrdered: false
      })
    }),
    { numRuns: 300, seed: 3 }
  )
})

it("samples: bytes of the first version → the samples that they describe", () => {
  const bytes = [
    // Count and time; then runs: offsets 100, 110 and 125, sizes 10, 10 and 20, durations 40, delays 0, -1 and 0, one keyframe.
    [3, 0],
    [0xc8, 1, 1, 0, 1, 10, 1],
    [20, 2, 40, 1],
    [80, 3],
    [0, 1, 1, 1, 0, 1],
    [2, 1, 0, 2]
  ]
  expect(SampleColumns.read(Bytes.makeReader(Uint8Array.from(bytes.flat())), bounds, true)).toEqual({
    count: 3,
    offsets: Float64Array.of(100, 110, 125),
    sizes: Uint32Array.of(10, 10, 20),
    times: Float64Array.of(0, 40, 80),
    delays: Int32Array.of(0, -1, 0),
    syncs: Uint8Array.of(1, 0, 0),
    end: 120,
    isPlain: false,
    isOrdered: false
  })
})

it("samples: damaged bytes → samples within the bounds, or a PackagingError", () => {
  const small = { maxCount: 300, fileBytes: 2 ** 43 }
  FastCheck.assert(
    FastCheck.property(samples, FastCheck.nat(), FastCheck.integer({ min: 0, max: 255 }), (all, seed, value) => {
      const writer = Bytes.makeWriter(16)
      SampleColumns.write(writer, all, 0, all.count)
      const bytes = writer.toBytes().slice()
      bytes[seed % bytes.length] = value
      try {
        const { count, offsets, sizes } = SampleColumns.read(Bytes.makeReader(bytes), small, false)
        expect(count).toBeLessThanOrEqual(small.maxCount)
        for (const [index, offset] of offsets.entries()) {
          expect(offset >= 0 && offset + (sizes[index] ?? 0) <= small.fileBytes).toBe(true)
        }
      } catch (error) {
        expect(error).toMatchObject({ _tag: "PackagingError" })
      }
    }),
    { numRuns: 500, seed: 5 }
  )
})
