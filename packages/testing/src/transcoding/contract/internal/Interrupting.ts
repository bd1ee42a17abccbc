/**
 * The contract of `convert` for interrupted, slowly consumed and concurrent runs.
 */
import { assert } from "@effect/vitest"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import * as CheckedConversion from "../CheckedConversion.ts"
import { directory, SampleFiles, type Tester } from "../Samples.ts"

/** Polls a condition in real time until it is true, or until the test times out. */
const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.asVoid(
    Effect.repeat(Effect.sync(condition), { until: (isTrue) => isTrue, schedule: Schedule.spaced("10 millis") })
  )

export const register = (it: Tester): void => {
  it.effect("convert: stream is interrupted → the run stops and writes no more files", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { foreign } = yield* SampleFiles
      const media = yield* transcoder.probe({ input: foreign })
      const output = yield* directory
      const job = { input: foreign, media, output, format: "hls" } as const
      assert.strictEqual((yield* Stream.runCollect(Stream.take(transcoder.convert(job), 1))).length, 1)
      // A file that the interrupted run still wrote would be among the files of the next run, or replace one.
      rmSync(output, { recursive: true })
      mkdirSync(output)
      const { segments } = yield* CheckedConversion.follow(transcoder.convert(job), output)
      assert.isNotEmpty(segments)
    })
  )

  it.effect("convert: consumer does not pull → the run continues; later all segments are reported", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { playable } = yield* SampleFiles
      const media = yield* transcoder.probe({ input: playable })
      const output = yield* directory
      const playlist = `${output}/playlist.m3u8`
      const isDone = () => existsSync(playlist) && readFileSync(playlist, "utf8").includes("#EXT-X-ENDLIST")
      const events = transcoder
        .convert({ input: playable, media, output, format: "hls" })
        .pipe(Stream.tap(({ _tag }) => (_tag === "Started" ? until(isDone) : Effect.void)))
      const { segments } = yield* CheckedConversion.follow(events, output)
      assert.deepStrictEqual(segments, CheckedConversion.uris(readFileSync(playlist, "utf8")))
    })
  )

  it.effect("convert: several at once → all finish", () =>
    Effect.gen(function* () {
      const { audio, playable } = yield* SampleFiles
      yield* Effect.forEach(
        [playable, audio, playable],
        (input) => Effect.flatMap(directory, (output) => CheckedConversion.convert({ input, output, format: "hls" })),
        { concurrency: "unbounded" }
      )
    })
  )
}
