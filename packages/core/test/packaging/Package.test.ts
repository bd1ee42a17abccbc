import { createHash } from "node:crypto"
import * as Requires from "@holdfast/testing/Requires"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import { Aac } from "../../src/packaging/Codec.ts"
import * as RawDataBlock from "../../src/packaging/internal/aac/RawDataBlock.ts"
import { attempt } from "../../src/packaging/internal/Attempt.ts"
import type { Format } from "../../src/transcoding/Presentation.ts"
import * as FragmentedMp4 from "../../src/packaging/FragmentedMp4.ts"
import * as Package from "../../src/packaging/Package.ts"
import * as IndexedFile from "./support/IndexedFile.ts"
import * as Media from "./support/Media.ts"
import * as Packaging from "./support/Packaging.ts"
import * as Sources from "./support/Sources.ts"

const it = Requires.requires(Media.missing)

/** Packages a file, and returns what cuts each of its segments from the index alone. */
const toPackage = Effect.fnUntraced(function* (bytes: Uint8Array, format: Format) {
  const source = Sources.make(bytes)
  const made = yield* Package.make(source, format, false)
  const { playlists } = made
  const texts = { entry: playlists.get("playlist.m3u8") ?? "", keyframes: playlists.get("iframes.m3u8") }
  return { ...made, ...texts, ...(yield* IndexedFile.open(source, made.index)) }
})

const names = ["plain.mp4", "fragments.mp4", "later-sound.mp4", "silent.mp4", "sound.m4a", "uneven.mp4"] as const

for (const name of names) {
  it.effect(`package to HLS: ${name} → segments as they are cut from the whole index`, () =>
    Effect.gen(function* () {
      const bytes = Media.load(name)
      const { segments } = yield* Packaging.toTransportStream(bytes)
      const { count, cut, entry, presentation } = yield* toPackage(bytes, "hls")
      expect(count).toBe(segments.length)
      for (const [number, expected] of segments.entries()) {
        expect(Buffer.compare((yield* cut(`index${number}.ts`)) ?? new Uint8Array(), expected)).toBe(0)
      }
      expect(yield* cut(`index${count}.ts`)).toBeUndefined()
      expect(entry.match(/^index\d+\.ts$/gm)?.length).toBe(count)
      expect(entry.endsWith("#EXT-X-ENDLIST\n")).toBe(true)
      expect(presentation).toMatchObject({ format: "hls", isCopy: true, isPackaged: true })
    })
  )

  it.effect(`package to DASH: ${name} → segments as they are cut from the whole index`, () =>
    Effect.gen(function* () {
      const bytes = Media.load(name)
      const tracks = yield* Packaging.toFragments(bytes)
      const { cut } = yield* toPackage(bytes, "dash")
      for (const [id, { init, segments, track }] of tracks.entries()) {
        const whole = [yield* cut(`init-${id}.m4s`)]
        for (const number of segments.keys()) whole.push(yield* cut(`chunk-${id}-${number + 1}.m4s`))
        const [head, ...rest] = whole
        expect(head?.length).toBe(init.length)
        expect(Buffer.compare(Buffer.concat(rest.map((one) => one ?? new Uint8Array())), Buffer.concat(segments))).toBe(
          0
        )
        expect(FragmentedMp4.offsetOf(track)).toBe(track.start)
      }
    })
  )
}

it.effect("package: video that MPEG-TS cannot have → refused to HLS, and a presentation to DASH alone", () =>
  Effect.gen(function* () {
    const bytes = Media.load("early.mp4")
    expect(yield* Effect.flip(toPackage(bytes, "hls"))).toMatchObject({ reason: "Unsupported" })
    const { cut, playlists, presentation } = yield* toPackage(bytes, "dash")
    expect(presentation).toMatchObject({ format: "dash", isPackaged: true })
    expect(presentation.isShared).toBeUndefined()
    expect([...playlists.keys()]).toEqual(["manifest.mpd"])
    expect(yield* cut("chunk-0-1.m4s")).toBeDefined()
    expect(yield* cut("index0.ts")).toBeUndefined()
  })
)

/** Returns hashes of the decoded frames of video. */
const frames = (bytes: Uint8Array): ReadonlyArray<string> => {
  const { stdout } = Media.run("ffmpeg", "-v error -i pipe:0 -map 0:v -f framemd5 -".split(" "), bytes)
  return stdout.split("\n").flatMap((line) => (/^\d/.test(line) ? [line.split(",")[5]?.trim() ?? ""] : []))
}

for (const name of ["plain.mp4", "later-sound.mp4", "silent.mp4"] as const) {
  it.effect(`package to HLS: ${name} → the playlist of keyframes has the first frame of each segment`, () =>
    Effect.gen(function* () {
      const { count, cut, entry, keyframes } = yield* toPackage(Media.load(name), "hls")
      const ranges = [...(keyframes ?? "").matchAll(/^#EXT-X-BYTERANGE:(\d+)@0\n(index\d+\.ts)$/gm)]
      expect(ranges.length).toBe(count)
      expect(keyframes).toContain("#EXT-X-I-FRAMES-ONLY\n")
      expect(keyframes?.match(/^#EXTINF:.*$/gm)).toEqual(entry.match(/^#EXTINF:.*$/gm))
      for (const [, bytes, file = ""] of ranges) {
        const segment = (yield* cut(file)) ?? new Uint8Array()
        expect(frames(segment.subarray(0, Number(bytes)))).toEqual(frames(segment).slice(0, 1))
      }
    })
  )
}

it.effect("package: audio alone → no playlist of keyframes", () =>
  Effect.gen(function* () {
    expect((yield* toPackage(Media.load("sound.m4a"), "hls")).keyframes).toBeUndefined()
  })
)

for (const name of names) {
  it.effect(`package: ${name} to either format → the same files of both, of one index`, () =>
    Effect.gen(function* () {
      const bytes = Media.load(name)
      const [hls, dash] = [yield* toPackage(bytes, "hls"), yield* toPackage(bytes, "dash")]
      for (const { presentation } of [hls, dash])
        expect(presentation).toMatchObject({ isPackaged: true, isShared: true })
      expect({ ...dash.presentation, format: "hls" }).toEqual(hls.presentation)
      const keyframes = name === "sound.m4a" ? [] : ["iframes.m3u8"]
      expect([...hls.playlists.keys()].toSorted()).toEqual([...keyframes, "manifest.mpd", "playlist.m3u8"])
      expect(new Map([...dash.playlists].toSorted())).toEqual(new Map([...hls.playlists].toSorted()))
      expect(Buffer.compare(Buffer.concat(dash.index), Buffer.concat(hls.index))).toBe(0)
    })
  )
}

it.effect("package: index of a video → a hundredth of its bytes at most", () =>
  Effect.gen(function* () {
    const bytes = Media.load("large.mp4")
    for (const format of ["hls", "dash"] as const) {
      const { indexBytes } = yield* toPackage(bytes, format)
      expect(indexBytes).toBeLessThan(bytes.length / 100)
    }
  })
)

/** A transcoder keeps these tracks, and encodes what not all players support. */
const converted = [
  ["hevc.mp4", "The video is not H.264."],
  ["languages.mp4", "The file has tracks beside one of video and one of audio."],
  ["chapters.mp4", "The file has tracks beside one of video and one of audio."],
  ["late-begin.mp4", "The audio begins late or has a gap longer than a segment."],
  ["pause.mp4", "The audio begins late or has a gap longer than a segment."],
  ["surround.mp4", "The audio has more than two channels."],
  ["beside-ac3.mp4", "The file has tracks beside one of video and one of audio."]
] as const

for (const [name, detail] of converted) {
  it.effect(`package: ${name} → left to a transcoder`, () =>
    Effect.gen(function* () {
      for (const format of ["hls", "dash"] as const) {
        const error = yield* Effect.flip(toPackage(Media.load(name), format))
        expect(error).toMatchObject({ _tag: "PackagingError", reason: "Unsupported", detail })
      }
    })
  )
}

for (const name of ["open.mp4", "trimmed.mp4", "sparse.mp4", "encrypted.mp4"] as const) {
  it.effect(`package: ${name} → refused`, () =>
    Effect.gen(function* () {
      const made = yield* Effect.result(toPackage(Media.load(name), "hls"))
      if (made._tag === "Success") expect(name).toBe("open.mp4")
      else expect(made.failure._tag).toBe("PackagingError")
    })
  )
}

it.effect("package: frame of the last segment with a wrong length → refused", () =>
  Effect.gen(function* () {
    const bytes = Media.load("plain.mp4")
    const { plan } = yield* Packaging.plan(bytes)
    const { firsts, track } = plan.video ?? {}
    const at = track?.samples.offsets[(firsts?.at(-2) ?? 0) + 1] ?? 0
    bytes[at + 2] = 0xff
    const made = yield* Effect.result(toPackage(bytes, "dash"))
    expect(made).toMatchObject({ failure: { reason: "Malformed" } })
  })
)

/** Writes other bytes into a sample of audio. */
const replaceSample = Effect.fnUntraced(function* (name: "plain.mp4" | "sound.m4a", sample: number, bytes: Uint8Array) {
  const content = Media.load(name)
  const { plan } = yield* Packaging.plan(content)
  const { offsets, sizes } = plan.audio[0]?.track.samples ?? {}
  const [offset, size] = [offsets?.at(sample), sizes?.at(sample)]
  if (offset === undefined || size === undefined) throw new Error("The file has no such sample.")
  content.set(bytes.subarray(0, size), offset)
  return content
})

/** The files have one channel. */
const damages = [
  ["zeros", new Uint8Array(8192)],
  ["a header of ADTS", Uint8Array.of(0xff, 0xf1)],
  ["a pair of channels", Uint8Array.of(0x21, 0x10, 0x05)],
  ["a channel with a reserved bit", Uint8Array.of(0x01, 0xff)],
  ["a channel with prediction", Uint8Array.of(0x01, 0xfe, 0x00, 0x40)],
  ["a channel with too many bands", Uint8Array.of(0x01, 0xfe, 0x1f, 0x80)],
  ["data that are longer than the frame", Uint8Array.of(0x80, 0xff, 0xff, 0xff)]
] as const

for (const [what, bytes] of damages) {
  it.effect(`package: first or last frame of audio is ${what} → refused`, () =>
    Effect.gen(function* () {
      for (const name of ["plain.mp4", "sound.m4a"] as const) {
        for (const sample of [0, -1]) {
          const made = yield* Effect.result(toPackage(yield* replaceSample(name, sample, bytes), "hls"))
          expect(made).toMatchObject({ failure: { reason: "Malformed", detail: "A frame of the audio is damaged." } })
        }
      }
    })
  )
}

it.effect("package: random bytes in all frames of audio → refused", () =>
  Effect.gen(function* () {
    const content = Media.load("sound.m4a")
    const { plan } = yield* Packaging.plan(content)
    const { offsets, sizes } = plan.audio[0]?.track.samples ?? {}
    for (const [sample, offset] of (offsets ?? []).entries()) {
      const outputLength = sizes?.[sample] ?? 0
      content.set(createHash("shake256", { outputLength }).update(String(sample)).digest(), offset)
    }
    const made = yield* Effect.result(toPackage(content, "dash"))
    expect(made).toMatchObject({ failure: { reason: "Malformed" } })
  })
)

it.effect("package: two channels in frames of FFmpeg → accepted; with reserved values → refused", () =>
  Effect.gen(function* () {
    const codec = Aac({ name: "mp4a.40.2", record: new Uint8Array(), frequencyIndex: 3, channelConfiguration: 2 })
    const check = (hex: string) =>
      Effect.result(attempt(() => RawDataBlock.check(new Uint8Array(Buffer.from(hex, "hex")), codec)))
    const right = [
      // FFmpeg: the name of the encoder, which is skipped, and a pair; a pair of silence; the same after one byte of data.
      "de02004c61766335392e33372e31303000422008c11838",
      "211004608c1c",
      "8101ff211004608c1c",
      // A pair with windows of its own for each channel, and one with fourteen bands of short windows.
      "20ff0000",
      "214e0000"
    ]
    for (const hex of right) expect(yield* check(hex)).toMatchObject({ _tag: "Success" })
    // A reserved mask, prediction, a reserved bit, fifteen bands of short windows, a channel alone, and a frame that is cut off.
    for (const hex of ["210018", "210020", "2180", "214f0000", "00c80080", "21"]) {
      expect(yield* check(hex)).toMatchObject({ failure: { reason: "Malformed" } })
    }
  })
)
