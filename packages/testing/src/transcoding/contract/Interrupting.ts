/**
 * Conversions that are given up, or that nobody listens to.
 */
import { assert } from "@effect/vitest"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import * as CheckedConversion from "./CheckedConversion.ts"
import { directory, SampleFiles, type Tester } from "./Samples.ts"

/** Looks, in real time, until a condition holds; the test's own time limit is the end of it. */
const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.asVoid(
    Effect.repeat(Effect.sync(condition), { until: (holds) => holds, schedule: Schedule.spaced("10 millis") })
  )

export const register = (it: Tester): void => {
  it.effect("stops when its stream is interrupted, and lets go of the directory", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { foreign } = yield* SampleFiles
      const media = yield* transcoder.probe({ input: foreign })
      const output = yield* directory
      const job = { input: foreign, media, output, format: "hls" } as const
      assert.strictEqual((yield* Stream.runCollect(Stream.take(transcoder.convert(job), 1))).length, 1)
      // Whatever still wrote here would show among the files of the next conversion, or take its place.
      rmSync(output, { recursive: true })
      mkdirSync(output)
      const { segments } = yield* CheckedConversion.follow(transcoder.convert(job), output)
      assert.isNotEmpty(segments)
    })
  )

  it.effect("goes on while nobody pulls, and tells all segments afterwards", () =>
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

  it.effect("runs several at once", () =>
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
