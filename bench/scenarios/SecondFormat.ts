/**
 * What costs less than encoding: the second format, and a video that players take as it is.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Conversions from "../support/fixtures/Conversions.ts"
import * as Pair from "../support/stats/Pair.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import type { Scenario } from "../support/Stage.ts"
import * as Videos from "../support/fixtures/Videos.ts"

/** One conversion in each round: the first format where nothing stands, the second where the first does. */
const first = (name: string, video: Conversions.Video, mode?: "auto" | "transcode"): Rounds.Subject => ({
  name,
  warmUp: Effect.void,
  round: Effect.andThen(
    Effect.andThen(Conversions.remove(video, "dash"), Conversions.remove(video, "hls")),
    Conversions.measured(video, Conversions.convert(video, "hls", mode))
  )
})

const second = (video: Conversions.Video): Rounds.Subject => ({
  name: "second (DASH)",
  warmUp: Effect.void,
  round: Conversions.measured(video, Conversions.convert(video, "dash"))
})

export const secondFormat: Scenario = {
  name: "second-format",
  about: "DASH from an HLS that stands, and H.264 that is copied, each against encoding",
  run: Effect.fnUntraced(function* (stage) {
    yield* Videos.check
    const { rounds, seconds } = stage.sizes.video
    const { holdfast, tenancy } = yield* Pair.start(stage)
    const [foreign, common] = [join(stage.directory, "foreign.mkv"), join(stage.directory, "common.mp4")]
    yield* Videos.foreign(foreign, seconds)
    yield* Videos.common(common, seconds)
    const encoded = yield* Conversions.store(holdfast, tenancy, "foreign.mkv", foreign)
    const [copied, other] = [
      yield* Conversions.store(holdfast, tenancy, "copied.mp4", common),
      yield* Conversions.store(holdfast, tenancy, "encoded.mp4", common)
    ]
    const about = { database: stage.database.name, unit: "video" } as const
    const ofEncoded = yield* Rounds.compare(
      { ...about, scenario: `second format of ${seconds} s of 720p`, goal: 0.05 },
      first("first (HLS)", encoded),
      second(encoded),
      rounds
    )
    const copy = yield* Rounds.compare(
      { ...about, scenario: `H.264 of ${seconds} s of 360p`, goal: null },
      first("encoded", other, "transcode"),
      first("copied", copied),
      rounds
    )
    const ofCopy = yield* Rounds.compare(
      { ...about, scenario: "second format of a copy", goal: null },
      first("first (HLS)", copied),
      second(copied),
      rounds
    )
    return [...ofEncoded, ...copy, ...ofCopy]
  })
}
