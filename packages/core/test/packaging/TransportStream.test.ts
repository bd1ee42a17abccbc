import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import * as FastCheck from "fast-check"
import { expect } from "vitest"
import { PackagingError } from "../../src/packaging/PackagingError.ts"
import * as SegmentPlan from "../../src/packaging/SegmentPlan.ts"
import * as TransportStream from "../../src/packaging/TransportStream.ts"
import * as Media from "./support/Media.ts"
import * as Packaging from "./support/Packaging.ts"
import * as Packets from "./support/Packets.ts"

const it = Requires.requires(Media.missing)

/** Seconds at which the streams begin. */
const beginning = 1.4

const expectTimes = (segments: Uint8Array, path: string, kind: "video" | "audio", digits: number): void => {
  const [actual, expected] = [Media.packets(segments, kind), Media.packets(path, kind)]
  expect(actual.length).toBe(expected.length)
  for (const [index, { dts_time, flags, pts_time }] of expected.entries()) {
    const packet = actual[index]
    expect(Number(packet?.pts_time) - beginning).toBeCloseTo(Number(pts_time), digits)
    expect(Number(packet?.dts_time) - beginning).toBeCloseTo(Number(dts_time), digits)
    expect(packet?.flags[0]).toBe(flags[0])
  }
}

const files = [
  "plain.mp4",
  "fragments.mp4",
  "late-fragments.mp4",
  "later-sound.mp4",
  "slow.mp4",
  "delimited.mp4",
  "sound.m4a",
  "large.mp4"
] as const

for (const name of files) {
  it.effect(`segments: ${name} → its frames, packets and times, as FFmpeg reads them`, () =>
    Effect.gen(function* () {
      const { segments, stream } = yield* Packaging.toTransportStream(Media.load(name))
      expect(segments.map(({ length }) => length)).toEqual(Array.from(stream.sizes))
      const whole = new Uint8Array(Buffer.concat(segments))
      const path = Media.path(name)
      expect(Media.decode(whole)).toEqual(Media.decode(path))
      expectTimes(whole, path, "video", 4)
      // FFmpeg counts the times of packets in a group from the first.
      expectTimes(whole, path, "audio", 3)
    })
  )
}

it.effect("segments: each alone → decodes without an error to its part of the frames", () =>
  Effect.gen(function* () {
    const { segments } = yield* Packaging.toTransportStream(Media.load("plain.mp4"))
    const parts = segments.map((segment) => Media.decode(segment))
    const whole = Media.decode(Media.path("plain.mp4"))
    expect(parts.flatMap(({ video }) => video)).toEqual(whole.video)
    expect(parts.flatMap(({ audio }) => audio)).toEqual(whole.audio)
  })
)

for (const name of ["plain.mp4", "slow.mp4"] as const) {
  it.effect(`segments: ${name} → counters run on between segments, clocks in one are 0.1 s apart at most`, () =>
    Effect.gen(function* () {
      const { segments } = yield* Packaging.toTransportStream(Media.load(name))
      expect(Packets.expectContinuity(segments)).toBe(4)
      Packets.expectClocks(segments)
    })
  )
}

it.effect("segments: 1280×720 → each byte of the file is read about once, in short reads", () =>
  Effect.gen(function* () {
    const bytes = Media.load("large.mp4")
    const { bytesRead, longestRead } = yield* Packaging.toTransportStream(bytes)
    expect(bytes.length).toBeGreaterThan(4_000_000)
    expect(bytesRead).toBeLessThan(1.1 * bytes.length)
    expect(longestRead).toBeLessThanOrEqual(512 * 1024)
  })
)

it.effect("segments: codec or times that MPEG-TS cannot have → refused with the reason", () =>
  Effect.gen(function* () {
    const detail = (name: Media.Name) =>
      Effect.map(Effect.flip(Packaging.toTransportStream(Media.load(name))), (error) => error.detail)
    expect(yield* detail("hevc.mp4")).toBe("MPEG-TS has no support for the codec of the video.")
    expect(yield* detail("early.mp4")).toBe("Frames are decoded too long before they are shown.")
  })
)

it.effect(
  "segments: one with frames that are decoded days apart → refused, without a clock reference for each 0.1 s",
  () =>
    Effect.gen(function* () {
      // In half seconds. The first frame is shown long after it is decoded, just before the second one. The others make the video long
      // enough.
      const days = 800_000
      const times = [0, ...Array.from({ length: 21_060 }, (_, index) => days + 1 + 38 * index)]
      const track = { ...Packaging.video(times, { delays: [days] }), timeScale: 2 }
      const { count, video } = yield* SegmentPlan.make(track, [])
      expect(yield* Effect.flip(TransportStream.make(count, video, null))).toMatchObject({ reason: "Unsupported" })
    })
)

it.effect("segments: mutated file → segments of the planned sizes, or a PackagingError", () =>
  Effect.gen(function* () {
    const bytes = Media.load("short.mp4")
    const mutation = FastCheck.record({
      at: FastCheck.integer({ min: 0, max: bytes.length - 4 }),
      value: FastCheck.constantFrom(0, 1, 0xff, 0x7fff_ffff, 0xffff_ffff)
    })
    const samples = FastCheck.sample(FastCheck.array(mutation, { minLength: 1, maxLength: 6 }), { numRuns: 150 })
    for (const mutations of samples) {
      const mutated = Buffer.from(bytes)
      for (const { at, value } of mutations) mutated.writeUInt32BE(value, at)
      const result = yield* Effect.result(Packaging.toTransportStream(new Uint8Array(mutated)))
      if (result._tag === "Failure") expect(result.failure).toBeInstanceOf(PackagingError)
      else {
        const { segments, stream } = result.success
        expect(segments.map(({ length }) => length)).toEqual(Array.from(stream.sizes))
      }
    }
  })
)
