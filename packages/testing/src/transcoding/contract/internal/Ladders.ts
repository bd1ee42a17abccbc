/**
 * The contract of `ladder`.
 */
import { assert } from "@effect/vitest"
import * as Ladder from "@holdfast/core/transcoding/Ladder"
import * as LadderPlaylists from "@holdfast/core/transcoding/LadderPlaylists"
import type { Media } from "@holdfast/core/transcoding/Media"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import { Transcoder } from "@holdfast/core/transcoding/Transcoder"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as CheckedConversion from "../CheckedConversion.ts"
import { directory, SampleFiles, type Tester } from "../Samples.ts"

const formats: ReadonlyArray<readonly [Format]> = [["hls"], ["dash"]]

const rung = ({ video }: Media, side: number): Ladder.Rung => ({
  ...Ladder.fit(video ?? assert.fail("the sample has video"), side),
  maxBitrate: 200_000
})

/** Copies the sample. */
const copy = (format: Format) =>
  Effect.gen(function* () {
    const input = (yield* SampleFiles).playable
    const outcome = yield* CheckedConversion.convert({ input, output: yield* directory, format })
    return { ...outcome, input, presentation: outcome.finished }
  })

const names = (format: Format, name: string, count: number): ReadonlyArray<string> =>
  format === "hls"
    ? Array.from({ length: count }, (_, index) => StreamFiles.segment(`${name}/`, index))
    : [
        ...Array.from({ length: count }, (_, index) => StreamFiles.ladderChunk({ name }, index + 1)),
        StreamFiles.ladderInit({ name })
      ]

export const register = (it: Tester): void => {
  it.effect.each(formats)("ladder: lower renditions of a copy to %s → a segment for each of the copy's", ([format]) =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const copied = yield* copy(format)
      const { input, media } = copied
      const durations = LadderPlaylists.durations(copied)
      const output = yield* directory
      const rungs = [rung(media, 120), rung(media, 80)] as const
      const outcome = yield* CheckedConversion.follow(
        transcoder.ladder({ input, media, output, format, rungs, durations }),
        output
      )
      assert.deepStrictEqual(
        outcome.finished.renditions.map(({ height, name, width }) => ({ name, width, height })),
        rungs.map(({ height, width }) => ({ name: `${Math.min(width, height)}p`, width, height }))
      )
      for (const { name } of outcome.finished.renditions) {
        assert.sameMembers(
          outcome.segments.filter((segment) => segment.startsWith(`${name}/`)),
          [...names(format, name, durations.length)]
        )
      }
      assert.strictEqual(outcome.playlists.size, 0)
    })
  )

  it.effect("ladder: the video has no frames where the copy has segments → Failed", () =>
    Effect.gen(function* () {
      const transcoder = yield* Transcoder
      const { input, media } = yield* copy("hls")
      const durations = Array.from({ length: 20 }, () => (media.duration ?? 0) / 10)
      const output = yield* directory
      const events = transcoder.ladder({ input, media, output, format: "hls", rungs: [rung(media, 80)], durations })
      const error = yield* Effect.flip(Stream.runDrain(events))
      assert.strictEqual(error.reason, "Failed")
    })
  )
}
