/**
 * The contract of `convert` for limits.
 */
import { assert } from "@effect/vitest"
import type { Limits } from "@holdfast/core/transcoding/Limits"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as CheckedConversion from "../CheckedConversion.ts"
import { directory, SampleFiles, type Tester } from "../Samples.ts"

const cases: ReadonlyArray<readonly [what: string, format: Format, limits: Partial<Limits>]> = [
  ["duration", "hls", { duration: Duration.seconds(3) }],
  ["duration", "dash", { duration: Duration.seconds(3) }],
  ["size", "hls", { outputBytes: 300 }],
  ["size", "dash", { outputBytes: 20 }]
]

export const register = (it: Tester): void => {
  it.effect.each(cases)("convert: limit of %s is reached (%s) → LimitExceeded", ([, format, limits]) =>
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
