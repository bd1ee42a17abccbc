/**
 * What is encoded behind a READY presentation in this deployment: the lower renditions of a copy, or the AV1 of encoded video.
 */
import * as Effect from "effect/Effect"
import type { Mode } from "../../transcoding/ConversionPlan.ts"
import { Settings } from "../../Settings.ts"
import * as Ladder from "../../transcoding/Ladder.ts"
import type { Presentation } from "../../transcoding/Presentation.ts"

/** Returns the sizes of the lower renditions of a copy, the best first. */
export const rungs = (presentation: Presentation): Effect.Effect<ReadonlyArray<Ladder.Rung>> =>
  Effect.map(Settings, ({ videoLines }) => Ladder.belowCopy(presentation, videoLines))

/** Whether a worker is to make any of it for a presentation that was made in this mode. */
export const isWanted = (presentation: Presentation, mode: Mode): Effect.Effect<boolean> =>
  Effect.flatMap(Settings, ({ videoAv1, videoLadders }) => {
    if (Ladder.isEncoded(presentation)) return Effect.succeed(videoAv1 && presentation.hasVideo)
    return videoLadders && mode !== "transcode"
      ? Effect.map(rungs(presentation), ({ length }) => length > 0)
      : Effect.succeed(false)
  })
