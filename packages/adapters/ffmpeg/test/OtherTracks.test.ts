/**
 * Tracks beside the video and its default audio that are broken or too large: they are left out, and the video is converted.
 */
import { assert, layer, vi } from "@effect/vitest"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Requires from "@holdfast/testing/Requires"
import * as CheckedConversion from "@holdfast/testing/transcoding/contract/CheckedConversion"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import * as Files from "./support/Files.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const convert = (input: string, format: Format) =>
  Effect.flatMap(directory, (output) => CheckedConversion.convert({ input, output, format }))

const line = "x".repeat(99)

/** Makes a video with `count` cues of `bytes`, each of one centisecond. */
const withCues = (count: number, bytes: number) =>
  Effect.map(directory, (folder) => {
    const time = (index: number) => `00:00:0${Math.floor(index / 100)},${String(index % 100).padStart(2, "0")}0`
    const cue = `${line}\n`.repeat(bytes / 100)
    const cues = Array.from({ length: count }, (_, index) => `${time(index)} --> ${time(index + 1)}\n${cue}`)
    writeFileSync(`${folder}/cues.srt`, cues.map((text, index) => `${index + 1}\n${text}`).join("\n"))
    const inputs = ["-i", Samples.path("h264.mp4"), "-f", "srt", "-i", `${folder}/cues.srt`]
    const output = ["-map", "0", "-map", "1", "-c", "copy", `${folder}/video.mkv`]
    Tools.run(Tools.ffmpeg, ["-nostdin", "-v", "error", ...inputs, ...output])
    return `${folder}/video.mkv`
  })

/** An ffmpeg that cannot convert text, as the real one with a cue of more than 1 MiB, for which it takes seconds. */
const withoutText = Effect.map(directory, (folder) => {
  const fail = 'case " $* " in *" webvtt "*) echo "[fatal] Subtitle encoding failed" >&2; exit 1;; esac'
  Files.program(`${folder}/ffmpeg`, `${fail}; exec ${Tools.ffmpeg} "$@"`)
  Files.program(`${folder}/ffprobe`, `exec ${Tools.ffprobe} "$@"`)
  return FfmpegTranscoder.layer({ niceness: 0, ffmpeg: `${folder}/ffmpeg`, sandbox: "off" })
})

Requires.requires(Tools.missing).describe("other tracks", () => {
  layer(FfmpegTranscoder.layer({ niceness: 0, preset: "ultrafast" }), {
    excludeTestServices: true,
    timeout: "60 seconds"
  })((it) => {
    it.effect("text of 6 MB → captions of the first 4 MiB, in whole cues", () =>
      Effect.gen(function* () {
        const { finished, output } = yield* convert(yield* withCues(300, 20_000), "hls")
        assert.lengthOf(finished.captions ?? [], 1)
        const path = `${output}/captions0.vtt`
        assert.isAtLeast(statSync(path).size, 4_000_000)
        assert.isAtMost(statSync(path).size, 5_000_000)
        assert.strictEqual(readFileSync(path, "utf8").trim().split("\n").at(-1), line)
      })
    )

    it.effect.each(["hls", "dash"] as const)(
      "audio of a codec without a decoder, %s → the video with its default audio",
      (format) =>
        Effect.gen(function* () {
          const { finished, media, playlists, started } = yield* convert(Samples.path("unknown-audio.mp4"), format)
          assert.deepStrictEqual(
            media.otherAudio.map(({ codec }) => codec),
            ["mpegh_3d_audio"]
          )
          assert.lengthOf(started.audio ?? [], 2)
          assert.notProperty(finished, "audio")
          assert.isTrue(finished.hasAudio)
          assert.notInclude([...playlists.values()].join("\n"), "audio1")
        })
    )

    it.effect("audio without a packet → the video with its default audio", () =>
      Effect.gen(function* () {
        const { finished, media } = yield* convert(Samples.path("empty-audio.mkv"), "dash")
        assert.deepStrictEqual(media.otherAudio, [])
        assert.notProperty(finished, "audio")
      })
    )
  })

  layer(Layer.unwrap(withoutText), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect.each(["hls", "dash"] as const)(
      "text that ffmpeg cannot convert, %s → the video with its languages and without captions",
      (format) =>
        Effect.gen(function* () {
          const { finished, media, playlists } = yield* convert(Samples.path("languages.mkv"), format)
          assert.lengthOf(media.captions, 2)
          assert.deepStrictEqual(finished.captions, [])
          assert.lengthOf(finished.audio ?? [], 5)
          assert.notInclude([...playlists.values()].join("\n"), "captions")
        })
    )
  })
})
