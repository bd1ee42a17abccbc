/**
 * Makes the AV1 of a shared presentation that is READY: its sizes, which join it when all of them are complete.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Av1Playlists from "../../../packaging/Av1Playlists.ts"
import type { PackagingError } from "../../../packaging/PackagingError.ts"
import * as SharedTracks from "../../../packaging/SharedTracks.ts"
import { Settings } from "../../../Settings.ts"
import type { ConversionEvent } from "../../../transcoding/ConversionEvent.ts"
import * as Events from "../../../transcoding/ConversionEvent.ts"
import * as Ladder from "../../../transcoding/Ladder.ts"
import type * as LadderPlaylists from "../../../transcoding/LadderPlaylists.ts"
import type { Media } from "../../../transcoding/Media.ts"
import * as StreamFiles from "../../../transcoding/StreamFiles.ts"
import { TranscodeError } from "../../../transcoding/TranscodeError.ts"
import { type LadderJob, Transcoder } from "../../../transcoding/Transcoder.ts"
import { type ConversionClaim, LeaseLost } from "../../ConversionClaim.ts"
import * as StoredFile from "./StoredFile.ts"

const failed = ({ detail }: PackagingError) => new TranscodeError({ operation: "ladder", reason: "Failed", detail })

/** Returns the events of the encoded sizes as those of the presentation: with it and, at the end, with all playlists. */
const join = <E, R>(
  events: Stream.Stream<ConversionEvent, E, R>,
  shared: LadderPlaylists.Copy,
  tracks: SharedTracks.SharedTracks
) => {
  const { presentation } = shared
  return Stream.flatMap(events, (event) => {
    if (event._tag === "Started") return Stream.succeed(Events.Started({ presentation }))
    if (event._tag !== "Finished") return Stream.succeed(event)
    return Av1Playlists.join(shared, tracks, event.presentation.renditions).pipe(
      Effect.mapError(failed),
      Effect.map(({ playlists, renditions }): ReadonlyArray<ConversionEvent> => [
        ...Array.from(playlists, ([name, text]) => Events.PlaylistUpdated({ name, text })),
        Events.Finished({ presentation: { ...presentation, av1: renditions } })
      ]),
      Stream.fromIterableEffect
    )
  })
}

/** Returns the events of the AV1 of a claim, given the content and what is READY of it. */
export const make = Effect.fnUntraced(function* (
  claim: ConversionClaim,
  shared: LadderPlaylists.Copy,
  media: Media,
  job: Pick<LadderJob, "input" | "limits" | "output" | "suspended">
) {
  const { videoLines } = yield* Settings
  // It says how the segments of HLS are made from those that are stored.
  const tracks = yield* Effect.mapError(SharedTracks.decode(yield* StoredFile.read(claim, StreamFiles.tracks)), failed)
  const { video } = media
  const known = video === null ? undefined : { ...video, bitrate: video.bitrate ?? media.bitrate }
  const rungs = known === undefined ? [] : Ladder.ofAv1(shared.presentation, known, videoLines)
  if (!Arr.isReadonlyArrayNonEmpty(rungs)) return yield* new LeaseLost()
  const events = (yield* Transcoder).ladder({
    ...job,
    media,
    format: "dash",
    codec: "av1",
    rungs,
    durations: Av1Playlists.durations(shared),
    firstTime: Av1Playlists.firstTime(tracks)
  })
  return join(events, shared, tracks)
})
