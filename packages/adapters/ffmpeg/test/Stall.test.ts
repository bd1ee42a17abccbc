import { assert, layer, vi } from "@effect/vitest"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Requires from "@holdfast/testing/Requires"
import { directory } from "@holdfast/testing/transcoding/contract/Samples"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as FfmpegTranscoder from "../src/FfmpegTranscoder.ts"
import * as Files from "./support/Files.ts"
import * as Samples from "./support/Samples.ts"
import * as Tools from "./support/Tools.ts"

// ffmpeg runs with a low priority and may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const linux = process.platform === "linux" ? undefined : "this system has no /proc"

Requires.requires(Requires.firstMissing(linux, Tools.missing)).describe("conversion whose program is stopped", () => {
  // The slowest preset takes tens of seconds for the sample.
  layer(FfmpegTranscoder.layer({ niceness: 0, preset: "placebo", stallTimeout: "3 seconds" }), {
    excludeTestServices: true,
    timeout: "60 seconds"
  })((it) => {
    it.effect("no report within stallTimeout → Unavailable, no process is left", () =>
      Effect.gen(function* () {
        const transcoder = yield* Transcoder
        const input = Samples.path("mpeg4-480.mkv")
        const media = yield* transcoder.probe({ input })
        const output = yield* directory
        const conversion = Stream.runDrain(transcoder.convert({ input, media, output, format: "hls" }))
        const run = yield* Effect.forkChild(Effect.flip(conversion), { startImmediately: true })
        const processes = yield* Effect.repeat(
          Effect.sync(() => Files.processesIn(output)),
          { until: (ids) => ids.length > 0, schedule: Schedule.spaced("10 millis") }
        )
        for (const id of processes) process.kill(id, "SIGSTOP")
        const error = yield* Fiber.join(run)
        assert.deepStrictEqual([error.reason, error.isRetryable], ["Unavailable", true])
        assert.include(error.message, "does not respond")
        assert.deepStrictEqual(Files.processesIn(output), [])
      })
    )
  })
})
