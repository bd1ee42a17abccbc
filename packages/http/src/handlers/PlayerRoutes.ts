/**
 * The pages that play streams, for frames in other pages. Whoever accepts HTML is told what goes wrong in a page, too, since
 * a viewer sees nothing else of the answer.
 */
import { PlaybackKeys } from "@holdfast/core/playback/PlaybackKeys"
import type { StreamInfo } from "@holdfast/core/playback/OpenedStream"
import { Streams } from "@holdfast/core/playback/Streams"
import type { Viewer } from "@holdfast/core/playback/Viewer"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import type { Digest } from "effect/crypto/Digest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Api } from "../contract/Api.ts"
import * as Page from "../players/Page.ts"
import * as PlayerPage from "../players/PlayerPage.ts"
import * as PlayerParameters from "../players/PlayerParameters.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import type { RequestServices } from "../auth/ActorIdentification.ts"
import * as FileRefs from "./support/FileRefs.ts"
import * as ViewerIdentification from "../auth/ViewerIdentification.ts"

type Visit = Context.Context<RequestServices | HttpRouter.RouteContext>

/** Which pages may show a player in a frame, as in the directive `frame-ancestors`. */
export const FrameAncestors = Context.Reference<string>("@holdfast/http/handlers/FrameAncestors", {
  defaultValue: () => "*"
})

/** The router takes an address with a slash at the end for the same, but relative addresses are another then. */
const baseOf = ({ url }: HttpServerRequest.HttpServerRequest): string => {
  const [path = ""] = url.split("?", 1)
  return path.endsWith("/") ? "../" : ""
}

const parametersOf = ({ url }: HttpServerRequest.HttpServerRequest): PlayerParameters.PlayerParameters => {
  const at = url.indexOf("?")
  return PlayerParameters.parse(new URLSearchParams(at < 0 ? "" : url.slice(at)))
}

/** Sound alone has no picture; before the conversion runs nobody knows. */
const hasPicture = ({ record }: StreamInfo): boolean =>
  record.renditions.length === 0 || record.renditions.some(({ width }) => width !== null)

const respond = ({ headers, html }: Page.Page, status: number) =>
  HttpServerResponse.text(html, { status, headers, contentType: headers["content-type"] })

/** The routes. */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Streams | PlaybackKeys | Digest> = HttpRouter.use(
  (router) =>
    Effect.gen(function* () {
      const identify = yield* ViewerIdentification.make
      const streams = yield* Streams
      const playbackKeys = yield* PlaybackKeys
      const frameAncestors = yield* FrameAncestors

      const page = Effect.fnUntraced(function* (visit: Visit, format: Format) {
        const request = Context.get(visit, HttpServerRequest.HttpServerRequest)
        const file = FileRefs.fromRoute(Context.get(visit, HttpRouter.RouteContext).params)
        const viewer: Viewer = yield* identify(visit, file)
        const shown = yield* streams.get(viewer, file, format)
        const { bucketId, tenantId } = file
        const { key } = yield* playbackKeys.issue(viewer, {
          tenantId,
          bucketId,
          fileId: shown.fileId,
          format,
          conversionId: shown.conversionId
        })
        const base = baseOf(request)
        const query = `?apiKey=${Redacted.value(key)}`
        const rendered = PlayerPage.render({
          format,
          source: `${base}${format}/${StreamFiles.entry(format)}${query}`,
          status: `${base}../streams${query}`,
          poster: hasPicture(shown) ? `${base}${StreamFiles.poster}${query}` : undefined,
          title: shown.name,
          parameters: parametersOf(request),
          frameAncestors,
          assetsBase: base + Page.assetsBase
        })
        return respond(rendered, 200)
      })

      const failure = Effect.fnUntraced(function* (visit: Visit, error: ProblemResponse.CodedError) {
        const request = Context.get(visit, HttpServerRequest.HttpServerRequest)
        const problem = yield* ProblemResponse.respond(error)
        if (!/\btext\/html\b/i.test(request.headers["accept"] ?? "")) return problem
        const { code, message: detail } = error
        const assetsBase = baseOf(request) + Page.assetsBase
        return respond(
          PlayerPage.renderProblem({ status: problem.status, code, detail, frameAncestors, assetsBase }),
          problem.status
        )
      })

      const serve = (format: Format) =>
        Effect.contextWith((visit: Visit) => Effect.catch(page(visit, format), (error) => failure(visit, error)))

      const { endpoints } = Api.groups.playback
      yield* router.add("GET", endpoints.hlsPlayer.path, serve("hls"))
      yield* router.add("GET", endpoints.dashPlayer.path, serve("dash"))
    })
)
