/**
 * Playing over HTTP: playlists with a key in every address, and what they name, which is sent as any content is. Segments
 * are asked for as often as contents, and the routes are registered directly for the same reason.
 */
import type { FileRef } from "@holdfast/core/files/FileRef"
import { PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import { StreamRecord } from "@holdfast/core/conversions/StreamRecord"
import type { OpenedPlaylist, OpenedSegment, StreamError } from "@holdfast/core/playback/OpenedStream"
import { Streams } from "@holdfast/core/playback/Streams"
import type { Viewer } from "@holdfast/core/playback/Viewer"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import type { Digest } from "effect/crypto/Digest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Api } from "../contract/Api.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import * as ServeContent from "../transfer/response/ServeContent.ts"
import type { RequestServices } from "../auth/ActorIdentification.ts"
import * as FileRefs from "./support/FileRefs.ts"
import * as SendStream from "../transfer/response/SendStream.ts"
import * as ViewerIdentification from "../auth/ViewerIdentification.ts"

type Visit = Context.Context<RequestServices | HttpRouter.RouteContext>

/** How long a request for a playlist waits for the first segment. */
export const PlaylistWait = Context.Reference<Duration.Duration>("@holdfast/http/handlers/PlaylistPatience", {
  defaultValue: () => Duration.seconds(20)
})

const encodeList = Schema.encodeSync(Schema.Struct({ items: Schema.Array(StreamRecord) }))

/** The routes. */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Streams | PlaybackKeys | Digest> = HttpRouter.use(
  (router) =>
    Effect.gen(function* () {
      const identify = yield* ViewerIdentification.make
      const streams = yield* Streams
      const playbackKeys = yield* PlaybackKeys
      const patience = yield* PlaylistWait

      /** What is opened is sent; a segment that was removed in between is looked up once more. */
      const serve = (
        open: (
          viewer: Viewer,
          file: FileRef,
          name: string
        ) => Effect.Effect<OpenedPlaylist | OpenedSegment, StreamError>,
        format: Format,
        nameOf: (params: HttpRouter.RouteContext["Service"]["params"]) => string
      ) =>
        ServeContent.serveContent((visit: Visit) => {
          const { params } = Context.get(visit, HttpRouter.RouteContext)
          const file = FileRefs.fromRoute(params)
          return Effect.flatMap(identify(visit, file), (viewer) =>
            Effect.flatMap(open(viewer, file, nameOf(params)), (opened) =>
              opened._tag === "Segment"
                ? ServeContent.sendContent(visit, SendStream.segmentContent(viewer, opened))
                : SendStream.playlist(playbackKeys, viewer, file, format, opened)
            )
          )
        })

      const file = (format: Format, nameOf: (params: HttpRouter.RouteContext["Service"]["params"]) => string) =>
        serve((viewer, ref, name) => streams.open(viewer, ref, format, name, { wait: patience }), format, nameOf)

      const list = Effect.contextWith((visit: Visit) => {
        const ref = FileRefs.fromRoute(Context.get(visit, HttpRouter.RouteContext).params)
        return Effect.flatMap(identify(visit, ref), (viewer) => streams.list(viewer, ref))
      }).pipe(
        Effect.map((items) => HttpServerResponse.jsonUnsafe(encodeList({ items }))),
        Effect.catch((error) => ProblemResponse.respond(error))
      )

      const { endpoints } = Api.groups.playback
      yield* router.add("GET", endpoints.list.path, list)
      yield* router.add(
        "GET",
        endpoints.playlist.path,
        file("hls", () => StreamFiles.entry("hls"))
      )
      yield* router.add(
        "GET",
        endpoints.manifest.path,
        file("dash", () => StreamFiles.entry("dash"))
      )
      yield* router.add(
        "GET",
        endpoints.hlsFile.path,
        file("hls", ({ name = "" }) => name)
      )
      yield* router.add(
        "GET",
        endpoints.hlsRenditionFile.path,
        file("hls", ({ name = "", rendition = "" }) => `${rendition}/${name}`)
      )
      yield* router.add(
        "GET",
        endpoints.dashFile.path,
        file("dash", ({ name = "" }) => name)
      )
      yield* router.add(
        "GET",
        endpoints.poster.path,
        serve(streams.openPoster, "hls", () => StreamFiles.poster)
      )
    })
)
