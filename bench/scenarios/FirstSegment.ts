/**
 * Measures the time from the request for a conversion of a copied video to its first segment. It should not depend on the
 * length of the video.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Conversions from "../support/fixtures/Conversions.ts"
import * as HoldfastService from "../support/fixtures/HoldfastService.ts"
import * as Videos from "../support/fixtures/Videos.ts"
import type { Scenario } from "../support/run/Scenario.ts"
import * as Comparison from "../support/stats/Comparison.ts"
import * as Measurement from "../support/stats/Measurement.ts"
import * as Rounds from "../support/stats/Rounds.ts"

/** The longest start in milliseconds that viewers accept as immediate. */
const limit = Measurement.fixedLimit("1.5 s", 1500)

const startOf = (name: string, video: Conversions.Video): Rounds.Subject => {
  const start = Effect.andThen(Conversions.request(video, "hls"), Conversions.readFirstSegment(video))
  const measured = Effect.andThen(Conversions.remove(video, "hls"), Conversions.measure(video, Effect.asVoid(start)))
  // The conversion is completed before the next round starts.
  const round = Effect.tap(measured, () => Conversions.convert(video, "hls"))
  return { name, warmUp: round, round }
}

export const firstSegment: Scenario = {
  name: "first-segment",
  description: "from POST to the first segment of copied videos of 1, 5 and 60 minutes, as wall time",
  run: Effect.fnUntraced(function* (context) {
    yield* Videos.requireFfmpeg
    const service = yield* HoldfastService.start(context)
    const minute = join(context.directory, "1.mp4")
    yield* Videos.generatePlayable(minute, 60)
    const subjects: Array<Rounds.Subject> = []
    for (const minutes of context.sizes.video.minutes) {
      const path = join(context.directory, `${minutes}.mp4`)
      if (minutes > 1) yield* Videos.repeat(minute, path, minutes)
      subjects.push(startOf(`${minutes} min`, yield* Conversions.store(service, `${minutes}.mp4`, path)))
    }
    const about = { database: context.database.name, unit: "video", by: "wall" } as const
    const measurements = yield* Rounds.interleave(subjects, context.sizes.video.starts)
    const [first] = measurements
    return measurements.flatMap((subject) => {
      const scenario = `first segment, ${subject.name} copied`
      const withinLimit = Comparison.make({ ...about, scenario, base: limit, subject, goal: 1 })
      // Waiting for the worker's next step may take up to half a second longer.
      if (first === undefined || first === subject) return [withinLimit]
      return [withinLimit, Comparison.make({ ...about, scenario, base: first, subject, goal: 1.5 })]
    })
  })
}
