import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import * as SilentFrame from "../../src/packaging/internal/aac/SilentFrame.ts"
import * as Package from "../../src/packaging/Package.ts"
import * as IndexedFile from "./support/IndexedFile.ts"
import * as Media from "./support/Media.ts"
import * as Sources from "./support/Sources.ts"

const it = Requires.requires(Media.missing)

/** Seconds: how long a frame lasts, and what times of 90 kHz may differ from it. */
const frameOf = (rate: number): number => 1024 / rate
const rounding = 0.0001

/** Puts the header of ADTS before a frame of AAC-LC of 48 kHz (ISO/IEC 13818-7, 6.2). */
const inAdts = (frame: Uint8Array, channels: number): Uint8Array => {
  const length = 7 + frame.length
  const header = [
    0xff,
    0xf1,
    0x4c | (channels >> 2),
    ((channels & 3) << 6) | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc
  ]
  return Uint8Array.from([...header, ...frame])
}

for (const [configuration, channels] of [1, 2, 3, 4, 5, 6, 8].entries()) {
  it.effect(`silent frame of ${channels} channels → FFmpeg decodes silence`, () =>
    Effect.sync(() => {
      const channelConfiguration = configuration + 1
      const frame = inAdts(SilentFrame.make({ channelConfiguration }), channelConfiguration)
      const stream = new Uint8Array(Buffer.concat(Array.from({ length: 20 }, () => frame)))
      const { stderr, stdout } = Media.run("ffmpeg", "-v error -f aac -i pipe:0 -f s16le -".split(" "), stream)
      expect(stderr).toBe("")
      expect(stdout).toBe("\0".repeat(20 * 1024 * 2 * channels))
    })
  )
}

const toPackage = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const source = Sources.make(bytes)
  const made = yield* Package.make(source, "hls", false)
  return { ...made, ...(yield* IndexedFile.open(source, made.index)) }
})

for (const name of ["early-end.mp4", "early-end-stereo.mp4"] as const) {
  it.effect(`package to HLS: ${name}, whose audio ends before the video → silence to its end`, () =>
    Effect.gen(function* () {
      const bytes = Media.load(name)
      const { count, cut } = yield* toPackage(bytes)
      const segments = yield* Effect.forEach(Array.from({ length: count }).keys(), (number) => cut(`index${number}.ts`))
      const whole = new Uint8Array(Buffer.concat(segments.map((segment) => segment ?? new Uint8Array())))
      const before = Media.decode(Media.path(name))
      const after = Media.decode(whole)
      expect(after.video).toEqual(before.video)
      expect(after.audio.slice(0, before.audio.length)).toEqual(before.audio)
      const rest = after.audio.slice(before.audio.length)
      expect(new Set(rest).size).toBe(1)
      const times = Media.packets(whole, "audio").map(({ pts_time }) => Number(pts_time))
      const frame = frameOf(name === "early-end.mp4" ? 48_000 : 44_100)
      for (const [index, time] of times.slice(1).entries()) {
        expect(Math.abs(time - (times[index] ?? 0) - frame)).toBeLessThan(rounding)
      }
      const video = Media.packets(whole, "video").map(({ pts_time }) => Number(pts_time))
      const end = Math.max(...video) + 1 / 25
      const silence = end - ((times.at(-1) ?? 0) + frame)
      expect(silence).toBeGreaterThan(-rounding)
      expect(silence).toBeLessThan(0.2)
      for (const segment of segments) {
        expect(Media.packets(segment ?? new Uint8Array(), "audio").length).toBeGreaterThan(0)
      }
    })
  )

  it.effect(`package to DASH: ${name}, whose audio ends before the video → silence to its end`, () =>
    Effect.gen(function* () {
      const bytes = Media.load(name)
      const { count, cut, playlists } = yield* toPackage(bytes)
      const parts = yield* Effect.forEach(
        ["init-1.m4s", ...Array.from({ length: count }, (_, index) => `chunk-1-${index + 1}.m4s`)],
        cut
      )
      expect(parts).not.toContain(undefined)
      const whole = new Uint8Array(Buffer.concat(parts.map((part) => part ?? new Uint8Array())))
      const { audio } = Media.decode(Media.path(name))
      expect(Media.decode(whole).audio.slice(0, audio.length)).toEqual(audio)
      const last = Media.packets(whole, "audio").at(-1)
      expect(Number(last?.pts_time)).toBeGreaterThan(12.7)
      expect(Number(last?.pts_time)).toBeLessThan(13)
      expect(playlists.get("manifest.mpd")?.match(/<S /g)?.length).toBeGreaterThan(2)
    })
  )
}

it.effect("package: audio that ends at most a second before the video → its own frames alone", () =>
  Effect.gen(function* () {
    const bytes = Media.load("plain.mp4")
    const { count, cut } = yield* toPackage(bytes)
    const parts = yield* Effect.forEach(Array.from({ length: count }).keys(), (number) => cut(`index${number}.ts`))
    const whole = new Uint8Array(Buffer.concat(parts.map((part) => part ?? new Uint8Array())))
    expect(Media.decode(whole).audio).toEqual(Media.decode(Media.path("plain.mp4")).audio)
  })
)
