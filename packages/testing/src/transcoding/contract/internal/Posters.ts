/**
 * The contract of `poster`.
 */
import { assert } from "@effect/vitest"
import * as Storyboard from "@holdfast/core/transcoding/Storyboard"
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

  it.effect("storyboard: video → the sheets, each a JPEG", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { foreign: input } = yield* SampleFiles
      const media = yield* transcoder.probe({ input })
      const output = yield* directory
      // More pictures than one sheet has, some of them after the end of the video.
      const storyboard = Storyboard.fromPresentation({
        duration: 60,
        renditions: [{ name: "480p", width: 854, height: 480, frameRate: 10, bitrate: 1 }]
      })
      if (storyboard === undefined) return assert.fail("A video has a storyboard.")
      yield* transcoder.storyboard({ input, media, output, storyboard })
      assert.deepStrictEqual(readdirSync(output).toSorted(), ["storyboard0.jpg", "storyboard1.jpg"])
      for (const name of readdirSync(output)) {
        assert.strictEqual(readFileSync(`${output}/${name}`).subarray(0, 3).toString("hex"), "ffd8ff")
      }
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
