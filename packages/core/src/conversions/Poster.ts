/**
 * The still of a video: made with its conversion and published beside the segments, so that it is as durable as they are,
 * goes with them, and costs no one who asks for it a run of the transcoder.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ConversionEvent from "../transcoding/ConversionEvent.ts"
import type { Limits } from "../transcoding/Limits.ts"
import type { Media } from "../transcoding/Media.ts"
import * as StreamFiles from "../transcoding/StreamFiles.ts"
import { Transcoder } from "../transcoding/Transcoder.ts"
import type { Workspace } from "./ConversionWorkspace.ts"

/** Seconds: the beginning is often black, and this is short enough for what a viewer expects of a beginning. */
const latest = 10

/** Which moment of a video stands for all of it. */
const moment = ({ duration }: Media): number => Math.min((duration ?? 0) / 10, latest)

/** Makes the still in the output directory; whether there is one. A video plays without. */
export const take = (
  { input, output }: Workspace,
  media: Media,
  limits: Partial<Limits>
): Effect.Effect<boolean, never, Transcoder> =>
  Effect.gen(function* () {
    if (media.video === null) return false
    const { poster } = yield* Transcoder
    yield* poster({ input, media, output: `${output}/${StreamFiles.poster}`, at: moment(media), limits })
    return true
  }).pipe(
    Effect.catch((error) =>
      Effect.as(
        Effect.logWarning("A video's still could not be made", { reason: error.reason, detail: error.detail }),
        false
      )
    )
  )

/**
 * The events of a conversion with that of its still among them. It is made once the conversion plays, so that nobody
 * waits for it, and before the end.
 */
export const withPoster = <E, R, E2, R2>(
  events: Stream.Stream<ConversionEvent.ConversionEvent, E, R>,
  make: Effect.Effect<boolean, E2, R2>
): Stream.Stream<ConversionEvent.ConversionEvent, E | E2, R | R2> =>
  Stream.suspend(() => {
    let isDue = true
    const made = Effect.map(make, (isThere) =>
      isThere ? [ConversionEvent.SegmentFinished({ name: StreamFiles.poster })] : []
    )
    return Stream.flatMap(events, (event) => {
      if (!isDue || (event._tag !== "PlaylistUpdated" && event._tag !== "Finished")) return Stream.succeed(event)
      isDue = false
      const still = Stream.unwrap(Effect.map(made, Stream.fromArray))
      const told = Stream.succeed(event)
      return event._tag === "Finished" ? Stream.concat(still, told) : Stream.concat(told, still)
    })
  })
