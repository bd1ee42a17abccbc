/**
 * Measures a video that no player supports and that is encoded in four sizes: by the service, and by one ffmpeg command
 * with the same output.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Conversions from "../support/fixtures/Conversions.ts"
import * as HoldfastService from "../support/fixtures/HoldfastService.ts"
import * as Videos from "../support/fixtures/Videos.ts"
import { attempt } from "../support/run/BenchFailure.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Rounds from "../support/stats/Rounds.ts"

/** Returns arguments of ffmpeg for the same quality as the service's. The output is not checked, stored or published. */
const ffmpegArguments = (input: string): ReadonlyArray<string> => {
  const sizes = ["1280:720", "854:480", "640:360", "426:240"]
  const rates = [2720, 1480, 960, 520]
  const parts = sizes.map((_, index) => `[s${index}]`).join("")
  const scales = sizes.map((size, index) => `[s${index}]scale=${size}:flags=bicubic,format=yuv420p[v${index}]`)
  const outputs = rates.map((rate, index) =>
    [
      `-map [v${index}] -c:v libx264 -preset veryfast -profile:v high -threads 4`,
      `-crf 23 -maxrate ${rate}k -bufsize ${2 * rate}k -g 100 -keyint_min 100 -sc_threshold 0`,
      "-map 0:a:0 -c:a aac -b:a 64k",
      `-f hls -hls_time 4 -hls_list_size 0 -hls_segment_filename ${index}-%d.ts ${index}.m3u8`
    ].join(" ")
  )
  const filters = [`[0:v:0]split=${sizes.length}${parts}`, ...scales].join(";")
  return ["-i", input, "-filter_complex", filters, ...outputs.flatMap((output) => output.split(" "))]
}

export const convert: Scenario = {
  name: "convert",
  description: "a video encoded in four sizes for HLS, against the ffmpeg command with the same output",
  run: Effect.fnUntraced(function* (context) {
    yield* Videos.requireFfmpeg
    const { rounds, seconds } = context.sizes.video
    const service = yield* HoldfastService.start(context)
    const [input, output] = [join(context.directory, "foreign.mkv"), join(context.directory, "bare-output")]
    yield* attempt("A directory", () => mkdir(output))
    yield* Videos.generateUnplayable(input, seconds)
    const video = yield* Conversions.store(service, "foreign.mkv", input)
    return yield* Rounds.compare(
      { scenario: `convert ${seconds} s of 720p`, database: context.database.name, unit: "video", goal: 1.05 },
      { name: "ffmpeg", warmUp: Effect.void, round: Videos.measureFfmpeg(output, ffmpegArguments(input)) },
      {
        name: "POST hls",
        warmUp: Effect.void,
        round: Effect.andThen(
          Conversions.remove(video, "hls"),
          Conversions.measure(video, Conversions.convert(video, "hls"))
        )
      },
      rounds
    )
  })
}
