/**
 * Registers routes with which viewers read streams. Viewers present an API key or a playback key.
 */
import { PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import { Streams } from "@holdfast/core/playback/Streams"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as Layer from "effect/Layer"
import type * as ActorIdentification from "../../auth/ActorIdentification.ts"
import * as ViewerIdentification from "../../auth/ViewerIdentification.ts"

/** What such routes use. `Streams` checks the permissions. */
interface StreamServices {
  readonly router: HttpRouter.HttpRouter
  readonly identify: ViewerIdentification.IdentifyViewer
  readonly streams: Streams["Service"]
  readonly playbackKeys: PlaybackKeys["Service"]
}

/** Returns the layer of the routes that a function registers. */
export const layer = (
  register: (services: StreamServices) => Effect.Effect<void>
): Layer.Layer<never, never, HttpRouter.HttpRouter | Streams | PlaybackKeys | ActorIdentification.Services> =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const identify = yield* ViewerIdentification.make
      const streams = yield* Streams
      const playbackKeys = yield* PlaybackKeys
      yield* register({ router, identify, streams, playbackKeys })
    })
  )
