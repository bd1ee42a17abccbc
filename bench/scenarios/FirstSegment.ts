/**
 * How long a viewer waits for a video that is copied, from the request for its conversion to the first segment: however long
 * the video is.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Comparison from "../support/stats/Comparison.ts"
import * as Conversions from "../support/fixtures/Conversions.ts"
import * as Measure from "../support/stats/Measure.ts"
import * as Pair from "../support/stats/Pair.ts"
import * as Rounds from "../support/stats/Rounds.ts"
import type { Scenario } from "../support/Stage.ts"
import * as Videos from "../support/fixtures/Videos.ts"

/** Milliseconds that nobody takes for long. */
const limit = Measure.make("1.5 s", [{ cpuMs: 0, databaseMs: 0, wallMs: 1500 }])

const beginning = (name: string, video: Conversions.Video): Rounds.Subject => {
  const begin = Effect.andThen(Conversions.request(video, "hls"), Conversions.firstSegment(video))
  const round = Effect.andThen(Conversions.remove(video, "hls"), Conversions.measured(video, Effect.asVoid(begin)))
  // The next one begins when nothing runs any more.
  const whole = Effect.tap(round, () => Conversions.convert(video, "hls"))
  return { name, warmUp: whole, round: whole }
}

export const firstSegment: Scenario = {
  name: "first-segment",
  about: "from POST to the first segment of copied videos of 1, 5 and 60 minutes, by the clock",
  run: Effect.fnUntraced(function* (stage) {
    yield* Videos.check
    const { holdfast, tenancy } = yield* Pair.start(stage)
    const minute = join(stage.directory, "1.mp4")
    yield* Videos.common(minute, 60)
    const subjects: Array<Rounds.Subject> = []
    for (const minutes of stage.sizes.video.minutes) {
      const path = join(stage.directory, `${minutes}.mp4`)
      if (minutes > 1) yield* Videos.repeated(minute, path, minutes)
      subjects.push(beginning(`${minutes} min`, yield* Conversions.store(holdfast, tenancy, `${minutes}.mp4`, path)))
    }
    const about = { database: stage.database.name, unit: "video", by: "wall" } as const
    const measures = yield* Rounds.interleave(subjects, stage.sizes.video.starts)
    const [first] = measures
    return measures.flatMap((subject) => {
      const scenario = `first segment, ${subject.name} copied`
      const within = Comparison.make({ ...about, scenario, base: limit, subject, goal: 1 })
      // Half a second is what waiting for the worker's steps may differ by.
      if (first === undefined || first === subject) return [within]
      return [within, Comparison.make({ ...about, scenario, base: first, subject, goal: 1.5 })]
    })
  })
}
