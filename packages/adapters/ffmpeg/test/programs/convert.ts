/**
 * Converts a file slowly and prints its events. A test kills this program.
 */
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FfmpegTranscoder from "../../src/FfmpegTranscoder.ts"

const [input = "", output = "", options = "{}"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const transcoder = yield* Transcoder
  const media = yield* transcoder.probe({ input })
  yield* Stream.runForEach(transcoder.convert({ input, media, output, format: "hls" }), ({ _tag }) =>
    Effect.sync(() => process.stdout.write(`${_tag}\n`))
  )
})

await Effect.runPromise(
  Effect.provide(program, FfmpegTranscoder.layer({ niceness: 0, preset: "placebo", ...JSON.parse(options) }))
)
