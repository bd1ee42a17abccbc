/**
 * Measures conversions that cost less than encoding: the second format of a video, and a video that players support as it
 * is.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Conversions from "../support/fixtures/Conversions.ts"
import * as HoldfastService from "../support/fixtures/HoldfastService.ts"
import * as Videos from "../support/fixtures/Videos.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Rounds from "../support/stats/Rounds.ts"

/** Converts a video that has no other format: each round removes both formats first. */
const firstFormat = (name: string, video: Conversions.Video, mode?: "auto" | "transcode"): Rounds.Subject => ({
  name,
  warmUp: Effect.void,
  round: Effect.andThen(
    Effect.andThen(Conversions.remove(video, "dash"), Conversions.remove(video, "hls")),
    Conversions.measure(video, Conversions.convert(video, "hls", mode))
  )
})

/** Converts a video that exists in the first format. Each round removes the second format first. */
const secondFormatOf = (video: Conversions.Video): Rounds.Subject => ({
  name: "second (DASH)",
  warmUp: Effect.void,
  round: Effect.andThen(
    Conversions.remove(video, "dash"),
    Conversions.measure(video, Conversions.convert(video, "dash"))
  )
})

export const secondFormat: Scenario = {
  name: "second-format",
  description: "DASH from an existing HLS, and H.264 that is copied, each against encoding",
  run: Effect.fnUntraced(function* (context) {
    yield* Videos.requireFfmpeg
    const { rounds, seconds } = context.sizes.video
    const service = yield* HoldfastService.start(context)
    const [unplayable, playable] = [join(context.directory, "foreign.mkv"), join(context.directory, "common.mp4")]
    yield* Videos.generateUnplayable(unplayable, seconds)
    yield* Videos.generatePlayable(playable, seconds)
    const foreign = yield* Conversions.store(service, "foreign.mkv", unplayable)
    const copied = yield* Conversions.store(service, "copied.mp4", playable)
    const encoded = yield* Conversions.store(service, "encoded.mp4", playable)
    const about = { database: context.database.name, unit: "video" } as const
    const secondOfEncoded = yield* Rounds.compare(
      { ...about, scenario: `second format of ${seconds} s of 720p`, goal: 0.05 },
      firstFormat("first (HLS)", foreign),
      secondFormatOf(foreign),
      rounds
    )
    const copy = yield* Rounds.compare(
      { ...about, scenario: `H.264 of ${seconds} s of 360p`, goal: null },
      firstFormat("encoded", encoded, "transcode"),
      firstFormat("copied", copied),
      rounds
    )
    const secondOfCopied = yield* Rounds.compare(
      { ...about, scenario: "second format of a copy", goal: null },
      firstFormat("first (HLS)", copied),
      secondFormatOf(copied),
      rounds
    )
    return [...secondOfEncoded, ...copy, ...secondOfCopied]
  })
}
