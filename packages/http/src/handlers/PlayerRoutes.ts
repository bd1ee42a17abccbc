/**
 * Routes of the player pages, which other pages embed in frames. A client that accepts HTML also gets problems as a page,
 * since a viewer sees nothing else of the response.
 */
import type { Viewer } from "@holdfast/core/playback/Viewer"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import type * as ActorIdentification from "../auth/ActorIdentification.ts"
import { Api } from "../contract/Api.ts"
import type * as Page from "../players/Page.ts"
import * as PlayerParameters from "../players/PlayerParameters.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import * as Vary from "../problems/Vary.ts"
import * as ContentCodings from "../transfer/response/ContentCodings.ts"
import * as FileRefs from "./support/FileRefs.ts"
import * as StreamRoutes from "./support/StreamRoutes.ts"

type Request = Context.Context<ActorIdentification.RequestServices>

/** Value of the directive `frame-ancestors`: the pages that may show a player in a frame. */
export const FrameAncestors = Context.Reference<string>("@holdfast/http/handlers/FrameAncestors", {
  defaultValue: () => "*"
})

const parseParameters = ({ url }: HttpServerRequest.HttpServerRequest): PlayerParameters.PlayerParameters => {
  const at = url.indexOf("?")
  return PlayerParameters.parse(new URLSearchParams(at < 0 ? "" : url.slice(at)))
}

/** A page has a key of its own, so that it is compressed for one response. */
const effort: ContentCodings.Effort = { br: 4, gzip: 6 }

const respond = (
  request: HttpServerRequest.HttpServerRequest,
  { headers, html }: Page.Page,
  status: number
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const coding = ContentCodings.choose(request.headers["accept-encoding"])
  return Effect.map(
    Effect.promise(() => ContentCodings.encode(html, coding, effort)),
    (bytes) =>
      HttpServerResponse.uint8Array(bytes, {
        status,
        headers: { ...headers, ...ContentCodings.headersOf(coding), vary: `${Vary.keyed}, Accept-Encoding` },
        contentType: headers["content-type"]
      })
  )
}

// Imported for the first page of a process: the texts of the assets, more than a megabyte, come with them.
const loadPlayerPage = Effect.promise(() => import("../players/PlayerPage.ts"))
const loadProblemPage = Effect.promise(() => import("../players/ProblemPage.ts"))

/** Registers the routes. `Streams` checks the permissions. */
export const layer = StreamRoutes.layer(
  Effect.fnUntraced(function* ({ countOpened, identify, playbackKeys, router, streams }) {
    const frameAncestors = yield* FrameAncestors

    const page = Effect.fnUntraced(function* (context: Request, format: Format) {
      const request = Context.get(context, HttpServerRequest.HttpServerRequest)
      const file = FileRefs.fromRoute(Context.get(context, HttpRouter.RouteContext).params)
      const viewer: Viewer = yield* identify(context, file)
      const info = yield* streams.get(viewer, file, format)
      yield* countOpened(context, viewer)
      const { bucketId, tenantId } = file
      const { conversionId, fileId } = info
      const query =
        viewer._tag === "Anonymous"
          ? ""
          : `?apiKey=${Redacted.value((yield* playbackKeys.issue(viewer, { tenantId, bucketId, fileId, format, conversionId })).key)}`
      const { render } = yield* loadPlayerPage
      const rendered = render({
        format,
        source: `${format}/${StreamFiles.entry(format)}${query}`,
        status: `../streams${query}`,
        poster: info.hasPoster ? `${StreamFiles.poster}${query}` : undefined,
        storyboard: info.isSound ? undefined : `${format}/${StreamFiles.storyboard}${query}`,
        isSound: info.isSound,
        title: info.name,
        parameters: parseParameters(request),
        frameAncestors
      })
      return yield* respond(request, rendered, 200)
    })

    const failure = Effect.fnUntraced(function* (context: Request, error: ProblemResponse.CodedError) {
      const request = Context.get(context, HttpServerRequest.HttpServerRequest)
      const problem = yield* ProblemResponse.respond(error)
      if (!/\btext\/html\b/i.test(request.headers["accept"] ?? "")) return problem
      const { code, message: detail } = error
      const { render } = yield* loadProblemPage
      const rendered = render({ status: problem.status, code, detail, frameAncestors })
      return yield* respond(request, rendered, problem.status)
    })

    const serve = (format: Format) =>
      Effect.contextWith((context: Request) => Effect.catch(page(context, format), (error) => failure(context, error)))

    const { endpoints } = Api.groups.playback
    yield* router.add("GET", endpoints.hlsPlayer.path, serve("hls"))
    yield* router.add("GET", endpoints.dashPlayer.path, serve("dash"))
  })
)
