/**
 * Registers routes with which viewers read streams. Viewers present an API key or a playback key.
 */
import { PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import type { MetadataError } from "@holdfast/core/MetadataError"
import type { ShareExhausted } from "@holdfast/core/files/shares/Share"
import { ShareUse } from "@holdfast/core/files/shares/ShareUse"
import { Streams } from "@holdfast/core/playback/Streams"
import type { Viewer } from "@holdfast/core/playback/Viewer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as Layer from "effect/Layer"
import type * as ActorIdentification from "../../auth/ActorIdentification.ts"
import * as ViewerIdentification from "../../auth/ViewerIdentification.ts"

/** What such routes use. `Streams` checks the permissions. */
interface StreamServices {
  readonly router: HttpRouter.HttpRouter
  readonly identify: ViewerIdentification.IdentifyViewer
  /**
   * Counts a playlist, segment or page as a download of the share with which it was opened. The caller has opened it, so that a request
   * that is refused counts nothing. Addresses in playlists and pages have playback keys, which count nothing.
   */
  readonly countOpened: (
    request: Context.Context<HttpServerRequest.HttpServerRequest>,
    viewer: Viewer
  ) => Effect.Effect<void, ShareExhausted | MetadataError>
  readonly streams: Streams["Service"]
  readonly playbackKeys: PlaybackKeys["Service"]
}

/** Returns the layer of the routes that a function registers. */
export const layer = (
  register: (services: StreamServices) => Effect.Effect<void>
): Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Streams | PlaybackKeys | ShareUse | ActorIdentification.Services
> =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const identify = yield* ViewerIdentification.make
      const shares = yield* ShareUse
      const streams = yield* Streams
      const playbackKeys = yield* PlaybackKeys
      const countOpened: StreamServices["countOpened"] = (request, viewer) =>
        viewer._tag === "ShareGrant" && Context.get(request, HttpServerRequest.HttpServerRequest).method === "GET"
          ? shares.spend(viewer)
          : Effect.void
      yield* register({ router, identify, countOpened, streams, playbackKeys })
    })
  )
