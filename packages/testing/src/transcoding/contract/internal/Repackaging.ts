/**
 * The contract of `repackage`.
 */
import { assert } from "@effect/vitest"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import * as CheckedConversion from "../CheckedConversion.ts"
import { directory, SampleFiles, type Samples, type Tester } from "../Samples.ts"

const cases: ReadonlyArray<readonly [kind: keyof Samples, from: Format, to: Format]> = [
  ["playable", "hls", "dash"],
  ["playable", "dash", "hls"],
  ["foreign", "hls", "dash"],
  ["foreign", "dash", "hls"],
  ["silent", "hls", "dash"],
  ["silent", "dash", "hls"],
  ["audio", "hls", "dash"],
  ["audio", "dash", "hls"]
]

export const register = (it: Tester): void => {
  it.effect.each(cases)("repackage: %s sample from %s to %s → same renditions and duration", ([kind, from, to]) =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const input = (yield* SampleFiles)[kind]
      const first = yield* CheckedConversion.convert({ input, output: yield* directory, format: from })
      const output = yield* directory
      const second = yield* CheckedConversion.follow(
        transcoder.repackage({ source: first.output, presentation: first.finished, output, format: to }),
        output
      )
      assert.strictEqual(second.finished.format, to)
      assert.approximately(second.finished.duration ?? 0, first.finished.duration ?? 0, 0.25)
      const shapes = ({ renditions }: typeof first.finished) =>
        renditions.map(({ height, name, width }) => ({ name, width, height }))
      assert.deepStrictEqual(shapes(second.finished), shapes(first.finished))
    })
  )

  it.effect("repackage: segments are links → same result", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { playable } = yield* SampleFiles
      const first = yield* CheckedConversion.convert({ input: playable, output: yield* directory, format: "hls" })
      const source = yield* directory
      for (const name of first.segments) symlinkSync(join(first.output, name), join(source, name))
      const output = yield* directory
      yield* CheckedConversion.follow(
        transcoder.repackage({ source, presentation: first.finished, output, format: "dash" }),
        output
      )
    })
  )

  it.effect("repackage: segments are missing → Internal", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { playable } = yield* SampleFiles
      const { finished } = yield* CheckedConversion.convert({
        input: playable,
        output: yield* directory,
        format: "hls"
      })
      const [source, output] = [yield* directory, yield* directory]
      const error = yield* Effect.flip(
        Stream.runDrain(transcoder.repackage({ source, presentation: finished, output, format: "dash" }))
      )
      assert.strictEqual(error.reason, "Internal")
    })
  )
}
