import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import * as SegmentPlan from "../../src/packaging/SegmentPlan.ts"
import * as Media from "./support/Media.ts"
import * as Packaging from "./support/Packaging.ts"

const it = Requires.requires(Media.missing)

const durations = (starts: Float64Array) => Array.from(starts.subarray(1), (end, index) => end - (starts[index] ?? 0))

for (const name of ["plain.mp4", "silent.mp4", "uneven.mp4"] as const) {
  it.effect(`make: ${name} → segments that begin with those that FFmpeg makes of a copy`, () =>
    Effect.gen(function* () {
      const { plan } = yield* Packaging.plan(Media.load(name))
      const expected = Media.segmentStarts(Media.path(name), "1,2,4,8,12")
      expect(plan.count).toBe(expected.length)
      for (const [index, start] of expected.entries()) expect(plan.starts[index]).toBeCloseTo(start, 5)
      // The last segment ends with the frame that is shown last, not with the one that is decoded last.
      const last = Math.max(...Media.packets(Media.path(name), "video").map(({ pts_time }) => Number(pts_time)))
      expect(plan.starts.at(-1)).toBeGreaterThan(last)
      expect(plan.starts.at(-1)).toBeLessThan(last + 0.2)
    })
  )
}

it.effect("make: audio → samples of each segment are those shown in it", () =>
  Effect.gen(function* () {
    const { plan } = yield* Packaging.plan(Media.load("later-sound.mp4"))
    const [audio] = plan.audio
    if (audio === undefined) throw new Error("no audio")
    const { firsts, track } = audio
    const at = (index: number) => ((track.samples.times[index] ?? NaN) - track.start + track.pause) / track.timeScale
    for (let segment = 1; segment < plan.count; segment++) {
      const first = firsts[segment] ?? NaN
      expect(at(first)).toBeGreaterThanOrEqual(plan.starts[segment] ?? NaN)
      expect(at(first - 1)).toBeLessThan(plan.starts[segment] ?? NaN)
    }
  })
)

it.effect("make: sound alone → segments of 1, 1, 2, 4 and 4 seconds, and the rest", () =>
  Effect.gen(function* () {
    const { plan } = yield* Packaging.plan(Media.load("sound.m4a"))
    expect(plan.count).toBe(6)
    for (const [index, expected] of [1, 1, 2, 4, 4].entries()) {
      expect(durations(plan.starts)[index]).toBeCloseTo(expected, 1)
    }
  })
)

for (const [interval, expected] of [
  [1, [0, 1, 2, 4, 8, 12, 16]],
  [2, [0, 2, 4, 6, 8, 12, 16]],
  [5, [0, 5, 10, 15]]
] as const) {
  it.effect(`make: keyframe every ${interval} s → short segments at the beginning where the keyframes allow it`, () =>
    Effect.gen(function* () {
      const times = Array.from({ length: Math.ceil(20 / interval) }, (_, index) => index * interval)
      const { starts } = yield* SegmentPlan.make(Packaging.video(times), [])
      expect(Array.from(starts.subarray(0, -1))).toEqual(expected)
    })
  )
}

it.effect("make: keyframes that later frames precede in time → begin no segment", () =>
  Effect.gen(function* () {
    const { plan } = yield* Packaging.plan(Media.load("open.mp4"))
    if (plan.video === null) throw new Error("no video")
    const { delays, syncs, times } = plan.video.track.samples
    const shown = Array.from(times, (time, index) => time + (delays[index] ?? NaN))
    /** Whether all frames before a sample are shown before it, and all frames after it later. */
    const separates = (first: number): boolean =>
      shown.every((at, index) => index === first || at < (shown[first] ?? NaN) === index < first)
    const keyframes = [...syncs.keys()].filter((index) => syncs[index] === 1)
    expect(keyframes.some((index) => !separates(index))).toBe(true)
    for (const first of plan.video.firsts.subarray(0, -1)) expect(separates(first)).toBe(true)
  })
)

it.effect("make: copy that would not be right → refused with its reason", () =>
  Effect.gen(function* () {
    const detail = (name: Media.Name) =>
      Effect.map(Effect.flip(Packaging.plan(Media.load(name))), (error) => error.detail)
    expect(yield* detail("sparse.mp4")).toBe("The keyframes are too far apart.")
    expect(yield* detail("trimmed.mp4")).toBe("The beginning of a track is cut off by an edit list.")
  })
)

it.effect("make: pause after which times are not exact any more → refused", () =>
  Effect.gen(function* () {
    const times = [0, 2, 4, 6]
    const late = yield* Effect.flip(SegmentPlan.make(Packaging.video(times, { pause: 2 ** 53 - 16 }), []))
    expect(late).toMatchObject({ reason: "LimitExceeded", detail: "The file is too long." })
    const { starts } = yield* SegmentPlan.make(Packaging.video(times, { pause: 900_000 }), [])
    expect(starts.at(-1)).toBe(900_007)
  })
)
