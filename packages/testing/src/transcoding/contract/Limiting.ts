/**
 * Limits.
 */
import { assert } from "@effect/vitest"
import type { Limits } from "@holdfast/core/transcoding/Limits"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as CheckedConversion from "./CheckedConversion.ts"
import { directory, SampleFiles, type Tester } from "./Samples.ts"

const cases: ReadonlyArray<readonly [what: string, format: Format, limits: Partial<Limits>]> = [
  ["a duration", "hls", { duration: Duration.seconds(3) }],
  ["a duration", "dash", { duration: Duration.seconds(3) }],
  ["a size", "hls", { outputBytes: 300 }],
  ["a size", "dash", { outputBytes: 20 }]
]

export const register = (it: Tester): void => {
  it.effect.each(cases)("gives up at %s (%s)", ([, format, limits]) =>
    Effect.gen(function* () {
      const { playable } = yield* SampleFiles
      const output = yield* directory
      const error = yield* Effect.flip(CheckedConversion.convert({ input: playable, output, format, limits }))
      assert.strictEqual(error.reason, "LimitExceeded")
      assert.strictEqual(error.code, "conversion_failed")
      assert.isFalse(error.isRetryable)
    })
  )
}
