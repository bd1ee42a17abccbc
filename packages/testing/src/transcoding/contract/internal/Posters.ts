/**
 * The contract of `poster`.
 */
import { assert } from "@effect/vitest"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { directory, SampleFiles, type Tester } from "../Samples.ts"

export const register = (it: Tester): void => {
  it.effect.each([[0], [2.5], [1000]])("poster: at %d seconds → writes a JPEG", ([at = 0]) =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { foreign } = yield* SampleFiles
      const media = yield* transcoder.probe({ input: foreign })
      const output = yield* directory
      yield* transcoder.poster({ input: foreign, media, output: `${output}/poster.jpg`, at })
      assert.deepStrictEqual(readdirSync(output), ["poster.jpg"])
      const picture = readFileSync(`${output}/poster.jpg`)
      assert.strictEqual(picture.subarray(0, 3).toString("hex"), "ffd8ff")
      assert.strictEqual(picture.subarray(-2).toString("hex"), "ffd9")
    })
  )

  it.effect("poster: file without video → Unsupported", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { audio } = yield* SampleFiles
      const media = yield* transcoder.probe({ input: audio })
      const output = `${yield* directory}/poster.jpg`
      const error = yield* Effect.flip(transcoder.poster({ input: audio, media, output, at: 0 }))
      assert.strictEqual(error.reason, "Unsupported")
      assert.isFalse(existsSync(output))
    })
  )
}
