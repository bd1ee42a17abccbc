import { assert, describe, it } from "@effect/vitest"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as FakeMedia from "@holdfast/testing/transcoding/FakeMedia"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync } from "node:fs"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import { ffmpeg as adapter } from "../src/index.ts"
import { isOld } from "../src/internal/process/Programs.ts"
import * as Files from "./support/Files.ts"
import * as Tools from "./support/Tools.ts"

const make = (ffmpeg: string) =>
  Effect.map(Layer.build(FfmpegTranscoder.layer({ niceness: 0, ffmpeg })), (context) =>
    Effect.provideContext(Transcoder, context)
  )

const transcoderAt = (ffmpeg: string) => Effect.flatten(make(ffmpeg))

describe("without FFmpeg", () => {
  it.live("every method → Unavailable; the layer is still built", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const transcoder = yield* transcoderAt(`${path}/ffmpeg`)
      Files.program(`${path}/input`, "")
      const job = { input: `${path}/input`, media: FakeMedia.playable }
      const presentation = {
        format: "hls",
        duration: 1,
        hasVideo: false,
        hasAudio: true,
        renditions: [{ name: "audio", width: null, height: null, frameRate: null, bitrate: 1 }]
      } as const
      Files.program(`${path}/index0.ts`, "")
      const errors = yield* Effect.all([
        Effect.flip(transcoder.check),
        Effect.flip(transcoder.probe(job)),
        Effect.flip(transcoder.poster({ ...job, output: `${path}/poster.jpg`, at: 0 })),
        Effect.flip(Stream.runDrain(transcoder.convert({ ...job, output: path, format: "hls" }))),
        Effect.flip(Stream.runDrain(transcoder.repackage({ source: path, presentation, output: path, format: "dash" })))
      ])
      for (const error of errors) {
        assert.strictEqual(error.code, "transcoder_unavailable")
        assert.isTrue(error.isRetryable)
      }
    })
  )

  it.live.each([
    ["echo 'ffmpeg version 4.4.2-0ubuntu0.22.04.1 Copyright'", "older than 5.1"],
    ["echo 'something else'", "does not run"],
    ["exit 1", "does not run"]
  ])("program is `%s` → Unavailable", ([script = "", detail = ""]) =>
    Effect.gen(function* () {
      const path = yield* directory
      for (const name of ["ffmpeg", "ffprobe"]) Files.program(`${path}/${name}`, script)
      const transcoder = yield* transcoderAt(`${path}/ffmpeg`)
      const error = yield* Effect.flip(transcoder.check)
      assert.strictEqual(error.reason, "Unavailable")
      assert.include(error.message, detail)
    })
  )

  it.live("ffprobe is missing → Unavailable", () =>
    Effect.gen(function* () {
      const path = yield* directory
      Files.program(`${path}/ffmpeg`, "echo 'ffmpeg version 7.1'")
      const error = yield* Effect.flip((yield* transcoderAt(`${path}/ffmpeg`)).check)
      assert.include(error.message, "ffprobe")
    })
  )
})

it.live("layer: some directories of a killed process cannot be removed → all others are removed", () =>
  Effect.gen(function* () {
    const temporary = yield* directory
    const before = Date.now() / 1000 - 2 * 86_400
    // No process has such an id. The links lead nowhere.
    const names = Array.from({ length: 16 }, (_, index) => `holdfast-ffmpeg-2147483647-0123456789ab-${index}`)
    for (const [index, name] of names.entries()) {
      if (index % 2 === 0) symlinkSync(`${temporary}/none`, `${temporary}/${name}`)
      else mkdirSync(`${temporary}/${name}`)
    }
    for (const name of names.filter((_, index) => index % 2 === 1)) utimesSync(`${temporary}/${name}`, before, before)
    yield* Effect.scoped(Layer.build(FfmpegTranscoder.layer({ temporaryDirectory: temporary })))
    assert.lengthOf(readdirSync(temporary), 8)
  })
)

describe("isOld", () => {
  it.each([
    ["ffmpeg version 5.1.9-0+deb12u1 Copyright", false],
    ["ffmpeg version n7.1.1-6-g48c0f071d4", false],
    ["ffmpeg version N-118000-gabcdef Copyright", false],
    ["ffmpeg version 10.0 Copyright", false],
    ["ffmpeg version 5.0.3 Copyright", true],
    ["ffmpeg version n4.4.1", true]
  ])("%s → %s", (banner, expected) => {
    assert.strictEqual(isOld(banner), expected)
  })
})

Requires.requires(Tools.missing).live(
  "check: ffmpeg is installed later, as a link → found, with the ffprobe beside the link's target",
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const transcoder = yield* transcoderAt(`${path}/ffmpeg`)
      yield* Effect.flip(transcoder.check)
      symlinkSync(Tools.run("/bin/sh", ["-c", 'command -v "$1"', "sh", Tools.ffmpeg]).stdout.trim(), `${path}/ffmpeg`)
      yield* transcoder.check
      rmSync(`${path}/ffmpeg`)
      yield* transcoder.check
    })
)

Requires.requires(Tools.missing).live("adapter for programs without Effect → the same transcoder", () =>
  Effect.gen(function* () {
    const { check } = yield* Effect.provideContext(Transcoder, yield* Layer.build(adapter().transcoder))
    yield* check
  })
)
