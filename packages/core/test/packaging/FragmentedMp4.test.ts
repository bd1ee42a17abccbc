import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import * as FragmentedMp4 from "../../src/packaging/FragmentedMp4.ts"
import * as Media from "./support/Media.ts"
import * as Packaging from "./support/Packaging.ts"

const it = Requires.requires(Media.missing)

const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))

const isVideo = (track: object): boolean => "width" in track

for (const name of ["plain.mp4", "hevc.mp4", "later-sound.mp4"] as const) {
  it.effect(`segments: ${name} → its frames, packets and times, as FFmpeg reads them`, () =>
    Effect.gen(function* () {
      const tracks = yield* Packaging.toFragments(Media.load(name))
      const path = Media.path(name)
      const { audio, video } = Media.decode(path)
      expect(tracks.length).toBe(2)
      for (const { init, segments, track } of tracks) {
        const kind = isVideo(track) ? "video" : "audio"
        const whole = join([init, ...segments])
        const expectedContents = isVideo(track) ? { video, audio: [] } : { video: [], audio }
        expect(Media.decode(whole)).toEqual(expectedContents)
        const expected = Media.packets(path, kind).map(({ pts, size }) => ({
          pts: pts + FragmentedMp4.offsetOf(track),
          size
        }))
        expect(Media.packets(whole, kind).map(({ pts, size }) => ({ pts, size }))).toEqual(expected)
      }
    })
  )
}

it.effect("segments: each with the initialization segment → decodes without an error to its part of the frames", () =>
  Effect.gen(function* () {
    const [video] = yield* Packaging.toFragments(Media.load("plain.mp4"))
    if (video === undefined) throw new Error("no video")
    const parts = video.segments.flatMap((segment) => Media.decode(join([video.init, segment])).video)
    expect(parts).toEqual(Media.decode(Media.path("plain.mp4")).video)
  })
)

it.effect("segments: file with negative delays → its frames, and the time of the first", () =>
  Effect.gen(function* () {
    const [video] = yield* Packaging.toFragments(Media.load("signed.mp4"))
    if (video === undefined) throw new Error("no video")
    const whole = join([video.init, ...video.segments])
    expect(Media.decode(whole).video).toEqual(Media.decode(Media.path("signed.mp4")).video)
    expect(video.times[0]).toBe(0)
  })
)

it.effect("segments: index of each → its time, duration and size", () =>
  Effect.gen(function* () {
    for (const { sampleBytes, segments, times, track } of yield* Packaging.toFragments(Media.load("plain.mp4"))) {
      for (const [number, segment] of segments.entries()) {
        const view = Buffer.from(segment)
        const at = view.indexOf("sidx") + 4
        expect(view.readUInt32BE(at + 8)).toBe(track.timeScale)
        expect(Number(view.readBigUInt64BE(at + 12))).toBe(times[number])
        const [bytes, duration] = [view.readUInt32BE(at + 32), view.readUInt32BE(at + 36)]
        expect(at + 44 + bytes).toBe(segment.length)
        expect(duration).toBe((times[number + 1] ?? NaN) - (times[number] ?? NaN))
        expect(view.readUInt32BE(view.indexOf("mdat") - 4)).toBe(8 + (sampleBytes[number] ?? NaN))
      }
    }
  })
)
