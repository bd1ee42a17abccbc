/**
 * Makes the poster of a video, one frame as a JPEG. Each conversion makes it and publishes it with the segments. So it is as
 * durable as they are, is removed with them, and a request for it never runs the transcoder.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ConversionEvent from "../../../transcoding/ConversionEvent.ts"
import type { Limits } from "../../../transcoding/Limits.ts"
import type { Media } from "../../../transcoding/Media.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"
import { Transcoder } from "../../../transcoding/Transcoder.ts"
import type { Workspace } from "../ConversionWorkspace.ts"

/** Seconds. The first frame is often black; a later frame would no longer show the beginning that a viewer expects. */
const latestFrame = 10

/** When the frame is shown, in seconds: at a tenth of the video, at most `latestFrame`. */
const frameTime = ({ duration }: Media): number => Math.min((duration ?? 0) / 10, latestFrame)

/**
 * Writes the poster into the output directory. Returns whether there is one: none for audio, and none if the transcoder
 * failed, because a video plays without a poster.
 */
export const make = (
  { input, output }: Workspace,
  media: Media,
  limits: Partial<Limits>
): Effect.Effect<boolean, never, Transcoder> =>
  Effect.gen(function* () {
    if (media.video === null) return false
    const { poster } = yield* Transcoder
    yield* poster({ input, media, output: `${output}/${StreamFiles.poster}`, at: frameTime(media), limits })
    return true
  }).pipe(
    Effect.catch(({ message, reason }) =>
      Effect.as(Effect.annotateLogs(Effect.logWarning("video poster not created"), { reason, detail: message }), false)
    )
  )

/**
 * Adds the event of the poster to the events of a conversion. The poster is made after the first playlist, so that playback
 * does not wait for it, and before `Finished`.
 */
export const withPoster = <E, R, E2, R2>(
  events: Stream.Stream<ConversionEvent.ConversionEvent, E, R>,
  makePoster: Effect.Effect<boolean, E2, R2>
): Stream.Stream<ConversionEvent.ConversionEvent, E | E2, R | R2> =>
  Stream.suspend(() => {
    let isDue = true
    const posterEvents = Effect.map(makePoster, (isMade) =>
      isMade ? [ConversionEvent.SegmentFinished({ name: StreamFiles.poster })] : []
    )
    return Stream.flatMap(events, (event) => {
      if (!isDue || (event._tag !== "PlaylistUpdated" && event._tag !== "Finished")) return Stream.succeed(event)
      isDue = false
      const poster = Stream.unwrap(Effect.map(posterEvents, Stream.fromArray))
      const original = Stream.succeed(event)
      return event._tag === "Finished" ? Stream.concat(poster, original) : Stream.concat(original, poster)
    })
  })
