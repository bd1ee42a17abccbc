import { assert, layer, vi } from "@effect/vitest"
import type { Mode } from "@holdfast/core/transcoding/ConversionPlan"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Requires from "@holdfast/testing/Requires"
import * as CheckedConversion from "@holdfast/testing/transcoding/contract/CheckedConversion"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Effect from "effect/Effect"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import * as Manifest from "../src/internal/output/Manifest.ts"
import * as Files from "./support/Files.ts"
import * as Results from "./support/Results.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const convert = (name: Samples.Name, format: Format, mode: Mode = "auto") =>
  Effect.flatMap(directory, (output) =>
    CheckedConversion.convert({ input: Samples.path(name), output, format, mode, mayShare: true })
  )

Requires.requires(Tools.missing).describe("shared presentation", () => {
  layer(FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }), {
    excludeTestServices: true,
    timeout: "60 seconds"
  })((it) => {
    it.effect.each([["hls"], ["dash"]] as const)("encoded video to %s → the files of both formats", ([format]) =>
      Effect.gen(function* () {
        const { finished, output, playlists, started } = yield* convert("mpeg4-480.mkv", format)
        assert.deepInclude(started, { format, isShared: true })
        assert.deepInclude(finished, { format, isShared: true })
        assert.deepStrictEqual([...playlists.keys()].toSorted(), [
          "240p.m3u8",
          "360p.m3u8",
          "480p.m3u8",
          "manifest.mpd",
          "playlist.m3u8"
        ])
        for (const [id, { name }] of finished.renditions.entries()) {
          const whole = `${yield* directory}/${id}.mp4`
          const chunks = [1, 2, 3, 4].map((number) => `${output}/chunk-${id}-${number}.m4s`)
          Files.concatenate([`${output}/init-${id}.m4s`, ...chunks], whole)
          const pictures = Results.pictures(`${output}/${name}.m3u8`)
          assert.lengthOf(pictures, 60)
          assert.deepStrictEqual(pictures, Results.pictures(whole))
        }
      })
    )

    it.effect("several languages and captions → those of both formats, each rendition of audio alone", () =>
      Effect.gen(function* () {
        const { finished, output, playlists } = yield* convert("languages.mkv", "dash", "transcode")
        assert.strictEqual(finished.isShared, true)
        const [, ...others] = finished.audio ?? []
        assert.isAbove(others.length, 1)
        for (const { name } of others) {
          assert.deepStrictEqual(
            Results.streams(`${output}/${name}.m3u8`).map(({ codec_name }) => codec_name),
            ["aac"]
          )
          assert.include(playlists.get("playlist.m3u8") ?? "", `URI="${name}.m3u8"`)
        }
        assert.include(playlists.get("playlist.m3u8") ?? "", "TYPE=SUBTITLES")
        assert.include(playlists.get("manifest.mpd") ?? "", "captions0.vtt")
        assert.include(playlists.get("captions0.m3u8") ?? "", "captions0.vtt")
      })
    )

    it.effect("copied audio with a gap longer than a segment → NotCopyable, and right when the audio is encoded", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(convert("gap-in-audio.mkv", "hls"))
        assert.include(error, { reason: "NotCopyable", nextMode: "encodeAudio" })
        const { finished, output } = yield* convert("gap-in-audio.mkv", "hls", "encodeAudio")
        assert.deepInclude(finished, { isShared: true, isCopy: false, hasCopiedVideo: true })
        assert.approximately(finished.duration ?? 0, 14, 0.2)
        // The second segment of four seconds is in the gap.
        const tracks = Results.streams(`${output}/index1.ts`).map(({ codec_name }) => codec_name)
        assert.deepStrictEqual(tracks, ["h264", "aac"])
        const pictures = Results.pictures(`${output}/playlist.m3u8`)
        assert.deepStrictEqual(pictures, Results.pictures(Samples.path("gap-in-audio.mkv")))
        const encoded = yield* convert("gap-in-audio.mkv", "hls", "transcode")
        assert.strictEqual(encoded.finished.isShared, true)
        assert.approximately(encoded.finished.duration ?? 0, 14, 0.2)
        Results.decode([`${encoded.output}/playlist.m3u8`])
      })
    )

    it.effect.each([
      ["audio-ends.mkv", "auto"],
      ["audio-ends.mkv", "transcode"],
      ["surround-ends.mkv", "auto"]
    ] as const)("%s, whose audio ends before the video, %s → silence to its end in both formats", ([name, mode]) =>
      Effect.gen(function* () {
        const { finished, output, playlists, segments } = yield* convert(name, "hls", mode)
        assert.approximately(finished.duration ?? 0, 14, 0.2)
        const count = segments.filter((one) => /^index\d+\.ts$/.test(one)).length
        for (let index = 0; index < count; index++) {
          const tracks = Results.streams(`${output}/index${index}.ts`).map(({ codec_name }) => codec_name)
          assert.deepStrictEqual(tracks, ["h264", "aac"])
        }
        if (mode === "auto") {
          assert.deepStrictEqual(Results.pictures(`${output}/playlist.m3u8`), Results.pictures(Samples.path(name)))
        }
        const [, ...others] = finished.audio ?? []
        assert.lengthOf(others, 1)
        const manifest = playlists.get("manifest.mpd") ?? ""
        const representations = finished.renditions.length + 1 + others.length
        for (let id = 0; id < representations; id++) {
          const seconds = Manifest.segmentDurations(manifest, id)
          assert.lengthOf(seconds, count)
          const end = seconds.reduce((sum, one) => sum + one, 0)
          assert.approximately(end, 14, 0.2)
          const whole = `${yield* directory}/${id}.mp4`
          const chunks = seconds.map((_, index) => `${output}/chunk-${id}-${index + 1}.m4s`)
          Files.concatenate([`${output}/init-${id}.m4s`, ...chunks], whole)
          Results.decode([whole])
        }
      })
    )

    it.effect("a frame every four seconds, with audio → encoded, audio in each segment", () =>
      Effect.gen(function* () {
        const { finished, output, segments } = yield* convert("rare.mp4", "hls", "transcode")
        assert.approximately(finished.duration ?? 0, 60, 0.2)
        assert.lengthOf(Results.frames(`${output}/playlist.m3u8`).times, 15)
        for (const name of segments.filter((one) => one.endsWith(".ts"))) {
          const tracks = Results.streams(`${output}/${name}`).map(({ codec_name }) => codec_name)
          assert.deepStrictEqual(tracks, ["h264", "aac"], name)
        }
      })
    )

    it.effect(
      "audio begins 30 seconds after the video → encoded, and 200 seconds after it → Failed with this reason",
      () =>
        Effect.gen(function* () {
          const { finished, output } = yield* convert("sound-late.mkv", "hls")
          assert.approximately(finished.duration ?? 0, 33, 0.2)
          const tracks = Results.streams(`${output}/playlist.m3u8`).map(({ codec_name }) => codec_name)
          assert.deepStrictEqual(tracks, ["h264", "aac"])
          const error = yield* Effect.flip(convert("sound-too-late.mkv", "hls"))
          assert.strictEqual(error.reason, "Failed")
          assert.include(error.message, "the audio begins too late")
        })
    )

    it.effect("copied audio of another language with such a gap → its playlist lasts as long as the video", () =>
      Effect.gen(function* () {
        const { finished, playlists } = yield* convert("gap-in-language.mkv", "hls")
        assert.strictEqual(finished.isCopy, true)
        const durations = [...(playlists.get(`${finished.audio?.[1]?.name}.m3u8`) ?? "").matchAll(/#EXTINF:([\d.]+)/g)]
        const total = durations.reduce((sum, [, seconds]) => sum + Number(seconds), 0)
        assert.approximately(total, 14, 0.2)
      })
    )

    it.effect.each([["hls"], ["dash"]] as const)("copy to %s → the files of both formats", ([format]) =>
      Effect.gen(function* () {
        const { finished, output, playlists } = yield* convert("h264.mp4", format)
        assert.deepInclude(finished, { isShared: true, isCopy: true, hasCopiedVideo: true })
        assert.deepStrictEqual([...playlists.keys()].toSorted(), ["manifest.mpd", "playlist.m3u8"])
        const [, longest] = /maxSegmentDuration="PT([\d.]+)S"/.exec(playlists.get("manifest.mpd") ?? "") ?? []
        assert.isAtMost(Number(longest), finished.duration ?? 0)
        const pictures = Results.pictures(`${output}/playlist.m3u8`)
        assert.deepStrictEqual(pictures, Results.pictures(Samples.path("h264.mp4")))
        assert.deepStrictEqual(pictures, Results.pictures(`${output}/manifest.mpd`))
      })
    )

    it.effect.each([
      ["surround.mkv", "ac3"],
      ["surround.mp4", "eac3"]
    ] as const)("%s with %s → copied frames in both formats", ([name, codec]) =>
      Effect.gen(function* () {
        const { finished, output, playlists } = yield* convert(name, "hls")
        assert.strictEqual(finished.isShared, true)
        assert.match(playlists.get("playlist.m3u8") ?? "", /CODECS="avc1\.\w{6},[ae]c-3",AUDIO="[ae]c-3"/)
        const copy = finished.audio?.find((one) => one.codec !== undefined)
        const expected = Results.packetHashes(Samples.path(name), "0:a")
        assert.isAbove(expected.length, 50)
        assert.deepStrictEqual(Results.packetHashes(`${output}/${copy?.name}.m3u8`, "0:a"), expected)
        const streams = Results.streams(`${output}/manifest.mpd`)
        const index = streams.findIndex(({ codec_name }) => codec_name === codec)
        assert.deepStrictEqual(Results.packetHashes(`${output}/manifest.mpd`, `0:${index}`), expected)
      })
    )
  })
})
