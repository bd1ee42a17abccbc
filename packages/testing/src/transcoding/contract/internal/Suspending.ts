/**
 * The contract of `convert` for suspended runs.
 */
import { assert } from "@effect/vitest"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as CheckedConversion from "../CheckedConversion.ts"
import { directory, SampleFiles, type Tester } from "../Samples.ts"

export const register = (it: Tester): void => {
  it.effect("convert: suspended → another run finishes meanwhile, this one does not; resumed → the same result", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { foreign: input } = yield* SampleFiles
      const media = yield* transcoder.probe({ input })
      const output = yield* directory
      const suspended = yield* SubscriptionRef.make(true)
      let isFinished = false
      const events = transcoder
        .convert({ input, media, output, format: "hls", suspended })
        .pipe(Stream.tap(({ _tag }) => Effect.sync(() => void (isFinished ||= _tag === "Finished"))))
      const run = yield* Effect.forkChild(CheckedConversion.follow(events, output), { startImmediately: true })
      const other = yield* CheckedConversion.convert({ input, output: yield* directory, format: "hls" })
      assert.isFalse(isFinished)
      yield* SubscriptionRef.set(suspended, false)
      const { finished, segments } = yield* Fiber.join(run)
      assert.deepStrictEqual(segments.toSorted(), other.segments.toSorted())
      assert.strictEqual(finished.duration, other.finished.duration)
    })
  )
}
