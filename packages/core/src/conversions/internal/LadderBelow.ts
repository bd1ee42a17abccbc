/**
 * The lower renditions that a READY copy gets in this deployment.
 */
import * as Effect from "effect/Effect"
import { Settings } from "../../Settings.ts"
import * as Ladder from "../../transcoding/Ladder.ts"
import type { Presentation } from "../../transcoding/Presentation.ts"

/** Returns their sizes, the best first. */
export const rungs = (presentation: Presentation): Effect.Effect<ReadonlyArray<Ladder.Rung>> =>
  Effect.map(Settings, ({ videoLines }) => Ladder.belowCopy(presentation, videoLines))

/** Whether a worker is to make any. */
export const isWanted = (presentation: Presentation): Effect.Effect<boolean> =>
  Effect.flatMap(Settings, ({ videoLadders }) =>
    videoLadders ? Effect.map(rungs(presentation), ({ length }) => length > 0) : Effect.succeed(false)
  )
