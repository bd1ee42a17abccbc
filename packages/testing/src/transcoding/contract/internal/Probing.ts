/**
 * The contract of `probe` and `check`.
 */
import { assert } from "@effect/vitest"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import * as Generate from "../../../data/Generate.ts"
import { directory, SampleFiles, type Tester } from "../Samples.ts"

const contents: ReadonlyArray<readonly [what: string, content: Uint8Array]> = [
  ["empty", new Uint8Array()],
  ["a line of text", Buffer.from("Not a video at all.\n")],
  ["random bytes", Generate.bytes(11, 100_000)],
  ["a playlist", Buffer.from("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nindex0.ts\n#EXT-X-ENDLIST\n")],
  ["the beginning of an MP4", Buffer.from("\0\0\0\u0018ftypisom\0\0\u0002\0isommp41", "latin1")]
]

export const register = (it: Tester): void => {
  it.effect("probe: video with audio → properties of both", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { foreign, playable } = yield* SampleFiles
      for (const input of [playable, foreign]) {
        const { audio, duration, video } = yield* transcoder.probe({ input })
        assert.isAbove(duration ?? 0, 4)
        assert.isAtMost(duration ?? 0, 10.5)
        assert.isAbove(Math.min(video?.width ?? 0, video?.height ?? 0), 1)
        assert.isAbove(audio?.sampleRate ?? 0, 1)
        assert.isAbove(audio?.channels ?? 0, 0)
      }
    })
  )

  it.effect("probe: no audio or no video → null for it", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { audio, silent } = yield* SampleFiles
      assert.isNull((yield* transcoder.probe({ input: silent })).audio)
      assert.isNull((yield* transcoder.probe({ input: audio })).video)
    })
  )

  it.effect.each(contents)("probe: content is %s → NotMedia for any file name", ([, content]) =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const path = yield* directory
      for (const name of ["plain", "video.mp4", "video.mkv"]) {
        writeFileSync(`${path}/${name}`, content)
        const error = yield* Effect.flip(transcoder.probe({ input: `${path}/${name}` }))
        assert.strictEqual(error.reason, "NotMedia")
        assert.strictEqual(error.code, "not_a_video")
        assert.notInclude(error.message, path)
      }
    })
  )

  it.effect("probe: file is missing → Internal, without its path in the message", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const path = yield* directory
      const error = yield* Effect.flip(transcoder.probe({ input: `${path}/missing` }))
      assert.strictEqual(error.reason, "Internal")
      assert.notInclude(error.message, path)
    })
  )

  it.effect("check: programs are available → succeeds", () => Effect.flatMap(Transcoder, ({ check }) => check))
}
