import { assert, layer, vi } from "@effect/vitest"
import type { Limits } from "@holdfast/core/transcoding/Limits"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import { ffmpeg } from "../src/index.ts"
import * as Files from "./support/Files.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const cases: ReadonlyArray<readonly [what: string, limits: Partial<Limits>]> = [
  ["time", { wallTime: Duration.millis(400) }],
  ["processor time", { cpuTime: Duration.seconds(1) }],
  ["memory", { memoryBytes: 450 * 1024 * 1024 }]
]

Requires.requires(Tools.missing).describe("limits", () => {
  // The slowest preset takes tens of seconds for the sample.
  layer(FfmpegTranscoder.layer({ niceness: 0, preset: "placebo" }), {
    excludeTestServices: true,
    timeout: "60 seconds"
  })((it) => {
    it.effect.each(cases)("convert: limit of %s is reached → LimitExceeded, no process is left", ([, limits]) =>
      Effect.gen(function* () {
        const transcoder = yield* Transcoder
        const input = Samples.path("mpeg4-480.mkv")
        const media = yield* transcoder.probe({ input })
        const output = yield* directory
        const conversion = Stream.runDrain(transcoder.convert({ input, media, output, format: "hls", limits }))
        const error = yield* Effect.flip(conversion)
        assert.strictEqual(error.reason, "LimitExceeded")
        assert.isNotEmpty(error.detail)
        const playlist = `${output}/playlist.m3u8`
        assert.isFalse(existsSync(playlist) && readFileSync(playlist, "utf8").includes("#EXT-X-ENDLIST"))
        assert.deepStrictEqual(Files.processesIn(output), [])
      })
    )

    it.effect("ffmpeg(): limits as texts, milliseconds or undefined → in force, with the defaults of the others", () =>
      Effect.gen(function* () {
        const input = Samples.path("mpeg4-480.mkv")
        const probe = (limits: FfmpegTranscoder.Options["limits"]) =>
          Effect.provide(
            Effect.flatMap(Transcoder, (transcoder) => transcoder.probe({ input })),
            ffmpeg({ niceness: 0, limits }).transcoder
          )
        const media = yield* probe({
          wallTime: "1 hour",
          cpuTime: 3_600_000,
          memoryBytes: undefined,
          duration: undefined
        })
        assert.isNotEmpty(media.video)
        const error = yield* Effect.flip(probe({ pixels: 10_000, wallTime: undefined }))
        assert.strictEqual(error.reason, "LimitExceeded")
      })
    )

    it.effect("probe: picture is too large → LimitExceeded before it is decoded", () =>
      Effect.gen(function* () {
        const transcoder = yield* Transcoder
        const limits = { memoryBytes: 512 * 1024 * 1024, cpuTime: Duration.seconds(2) }
        const bomb = yield* Effect.flip(transcoder.probe({ input: Samples.path("bomb.avi"), limits }))
        assert.strictEqual(bomb.reason, "LimitExceeded")
        const input = Samples.path("mpeg4-480.mkv")
        const small = yield* Effect.flip(transcoder.probe({ input, limits: { pixels: 10_000 } }))
        assert.strictEqual(small.reason, "LimitExceeded")
      })
    )

    it.effect("probe: titles of chapters have millions of characters → LimitExceeded with the reason", () =>
      Effect.gen(function* () {
        const scratch = yield* directory
        const chapter = (number: number) => `[CHAPTER]\nSTART=${number}\nEND=${number + 1}\ntitle=${"x".repeat(5000)}\n`
        writeFileSync(
          `${scratch}/chapters`,
          `;FFMETADATA1\n${Array.from({ length: 1000 }, (_, n) => chapter(n)).join("")}`
        )
        const input = `${scratch}/chapters.mkv`
        const inputs = ["-f", "ffmetadata", "-i", `${scratch}/chapters`, "-i", Samples.path("h264.mp4")]
        const outputs = ["-map", "1", "-map_chapters", "0", "-c", "copy", input]
        Tools.run(Tools.ffmpeg, ["-v", "error", ...inputs, ...outputs])
        const { probe } = yield* Transcoder
        const error = yield* Effect.flip(probe({ input }))
        assert.deepStrictEqual(
          [error.reason, error.detail],
          ["LimitExceeded", "The file has too many tracks or chapters, or their titles are too long."]
        )
      })
    )

    it.effect("probe: a file in CAF → Unsupported without the list of formats", () =>
      Effect.gen(function* () {
        const { probe } = yield* Transcoder
        const error = yield* Effect.flip(probe({ input: Samples.path("sound.caf") }))
        assert.deepStrictEqual([error.reason, error.detail], ["Unsupported", "Its format is not supported."])
      })
    )

    it.effect("probe: video in 8K → LimitExceeded, unless more pixels are permitted", () =>
      Effect.gen(function* () {
        const { probe } = yield* Transcoder
        const input = Samples.path("8k.avi")
        const error = yield* Effect.flip(probe({ input }))
        assert.deepStrictEqual([error.reason, error.detail], ["LimitExceeded", "The picture is too large."])
        const { video } = yield* probe({ input, limits: { pixels: 35_389_440 } })
        assert.deepStrictEqual([video?.width, video?.height], [7680, 4320])
      })
    )

    it.effect("convert: picture is larger than the probe reported → LimitExceeded", () =>
      Effect.gen(function* () {
        const transcoder = yield* Transcoder
        const input = Samples.path("mpeg4-480.mkv")
        const media = yield* transcoder.probe({ input })
        const output = yield* directory
        const limits = { pixels: 10_000, cpuTime: Duration.seconds(5) }
        const conversion = Stream.runDrain(transcoder.convert({ input, media, output, format: "hls", limits }))
        assert.strictEqual((yield* Effect.flip(conversion)).reason, "LimitExceeded")
      })
    )

    it.effect("convert: stream is interrupted → no process is left", () =>
      Effect.gen(function* () {
        const transcoder = yield* Transcoder
        const input = Samples.path("mpeg4-480.mkv")
        const media = yield* transcoder.probe({ input })
        const output = yield* directory
        yield* transcoder.convert({ input, media, output, format: "hls" }).pipe(
          Stream.filter(({ _tag }) => _tag === "Progressed"),
          Stream.take(1),
          Stream.tap(() => Effect.sync(() => assert.isNotEmpty(Files.processesIn(output)))),
          Stream.runDrain
        )
        assert.deepStrictEqual(Files.processesIn(output), [])
      })
    )
  })
})

Requires.requires(Requires.command("setpriv", "--pdeathsig", "KILL", "true")).live(
  "convert: program reports no progress and writes into a directory of its own → stopped at the limit of the output",
  () =>
    Effect.gen(function* () {
      const [programs, data, output] = [yield* directory, yield* directory, yield* directory]
      const script = [
        'if [ "$1" = -version ]; then echo "ffmpeg version 7.1"; exit; fi',
        "mkdir own",
        "for name in 1 2 3 4; do dd if=/dev/zero of=own/$name bs=1M count=4; done",
        "exec sleep 600"
      ]
      Files.program(`${programs}/ffmpeg`, script.join("\n"))
      Files.program(`${programs}/ffprobe`, "exit 1")
      writeFileSync(`${data}/input`, "")
      const built = yield* Layer.build(FfmpegTranscoder.layer({ niceness: 0, ffmpeg: `${programs}/ffmpeg` }))
      const { convert } = yield* Effect.provideContext(Transcoder, built)
      const limits = { outputBytes: 8 * 1024 * 1024 }
      const job = { input: `${data}/input`, media: FakeMedia.playable, output, format: "hls", limits } as const
      const error = yield* Effect.flip(Stream.runDrain(convert(job)))
      assert.deepStrictEqual([error.reason, error.detail], ["LimitExceeded", "The result is too large."])
      assert.deepStrictEqual(Files.processesIn(output), [])
    })
)
