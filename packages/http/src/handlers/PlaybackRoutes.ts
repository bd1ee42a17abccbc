/**
 * The API group `playback`: playlists with a playback key in every address, segments, posters, and the list of conversions.
 *
 * Segments are requested as often as the contents of files. Therefore the routes are registered with the router directly, as
 * in `ReadingRoutes`.
 */
import { StreamRecord } from "@holdfast/core/conversions/StreamRecord"
import type { FileRef } from "@holdfast/core/files/FileRef"
import type { OpenedPlaylist, OpenedSegment, StreamError } from "@holdfast/core/playback/OpenedStream"
import type { Viewer } from "@holdfast/core/playback/Viewer"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import type * as ActorIdentification from "../auth/ActorIdentification.ts"
import { Api } from "../contract/Api.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import * as SendPlaylist from "../transfer/response/SendPlaylist.ts"
import * as SendStream from "../transfer/response/SendStream.ts"
import * as ServeContent from "../transfer/response/ServeContent.ts"
import * as FileRefs from "./support/FileRefs.ts"
import * as StreamRoutes from "./support/StreamRoutes.ts"

type Request = Context.Context<ActorIdentification.RequestServices>
type Params = HttpRouter.RouteContext["Service"]["params"]

/** How long a request for a playlist or manifest waits until the conversion has produced it. */
export const PlaylistWait = Context.Reference<Duration.Duration>("@holdfast/http/handlers/PlaylistWait", {
  defaultValue: () => Duration.seconds(20)
})

const encodeList = Schema.encodeSync(Schema.Struct({ items: Schema.Array(StreamRecord) }))

/** Registers the routes. `Streams` checks the permissions. */
export const layer = StreamRoutes.layer(
  Effect.fnUntraced(function* ({ countOpened, identify, playbackKeys, router, streams }) {
    const wait = yield* PlaylistWait
    const sendPlaylist = SendPlaylist.make(playbackKeys)

    const serve = (
      open: (viewer: Viewer, file: FileRef, name: string) => Effect.Effect<OpenedPlaylist | OpenedSegment, StreamError>,
      format: Format,
      toName: (params: Params) => string
    ) =>
      ServeContent.serveContent((request: Request) => {
        const { params } = Context.get(request, HttpRouter.RouteContext)
        const http = Context.get(request, HttpServerRequest.HttpServerRequest)
        const file = FileRefs.fromRoute(params)
        return Effect.flatMap(identify(request, file), (viewer) =>
          Effect.flatMap(
            Effect.tap(open(viewer, file, toName(params)), () => countOpened(request, viewer)),
            (opened) =>
              opened._tag === "Segment"
                ? ServeContent.sendContent(request, SendStream.segmentContent(viewer, opened))
                : sendPlaylist({ request: http, viewer, file, format, playlist: opened })
          )
        )
      })

    const list = Effect.contextWith((request: Request) => {
      const file = FileRefs.fromRoute(Context.get(request, HttpRouter.RouteContext).params)
      return Effect.flatMap(identify(request, file), (viewer) => streams.list(viewer, file))
    }).pipe(
      Effect.map((items) => HttpServerResponse.jsonUnsafe(encodeList({ items }))),
      Effect.catch((error) => ProblemResponse.respond(error))
    )

    const { endpoints } = Api.groups.playback
    yield* router.add("GET", endpoints.list.path, list)
    const addFile = (path: HttpRouter.PathInput, format: Format, toName: (params: Params) => string) =>
      router.add(
        "GET",
        path,
        serve((viewer, file, name) => streams.open(viewer, file, format, name, { wait }), format, toName)
      )
    yield* addFile(endpoints.playlist.path, "hls", () => StreamFiles.entry("hls"))
    yield* addFile(endpoints.manifest.path, "dash", () => StreamFiles.entry("dash"))
    yield* addFile(endpoints.hlsFile.path, "hls", ({ name = "" }) => name)
    yield* addFile(endpoints.hlsRenditionFile.path, "hls", ({ name = "", rendition = "" }) => `${rendition}/${name}`)
    yield* addFile(endpoints.dashFile.path, "dash", ({ name = "" }) => name)
    yield* router.add(
      "GET",
      endpoints.poster.path,
      serve(streams.openPoster, "hls", () => StreamFiles.poster)
    )
  })
)
