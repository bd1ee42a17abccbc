/**
 * The API group `reading`: the contents of files.
 *
 * These routes get the most requests. The contract declares them like all others, but they are registered with the router
 * directly. For a small file, `HttpApiBuilder` would add a sixth to the time of a request: its layers, and the decoding of
 * parameters, which are plain texts here.
 */
import { Downloads } from "@holdfast/core/files/Downloads"
import type { LinkAction, Reader } from "@holdfast/core/files/links/Link"
import type { FileRef } from "@holdfast/core/files/FileRef"
import type { ShareGrant } from "@holdfast/core/files/shares/Share"
import { ShareUse } from "@holdfast/core/files/shares/ShareUse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as CommonHeaders from "../problems/CommonHeaders.ts"
import type * as ProblemResponse from "../problems/ProblemResponse.ts"
import * as PublicAddress from "./support/PublicAddress.ts"
import type * as Layer from "effect/Layer"
import type * as ActorIdentification from "../auth/ActorIdentification.ts"
import * as ReaderIdentification from "../auth/ReaderIdentification.ts"
import { Api } from "../contract/Api.ts"
import type { Disposition } from "../transfer/response/ContentDisposition.ts"
import * as ServeContent from "../transfer/response/ServeContent.ts"
import * as ContentOf from "./support/ContentOf.ts"
import * as FileRefs from "./support/FileRefs.ts"

type Request = Context.Context<ActorIdentification.RequestServices>

/** Whether each reading counts as a download of a share. */
const isCounted = (reader: Reader): reader is ShareGrant =>
  reader._tag === "ShareGrant" && reader.share.maxDownloads !== null

/** Registers the routes. `Downloads.open` checks the permission; no other part of the request has to be validated before. */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Downloads | ReaderIdentification.Services> =
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const identify = yield* ReaderIdentification.make
      const downloads = yield* Downloads
      const shares = yield* ShareUse
      const { download, view } = Api.groups.reading.endpoints

      /**
       * Redirects a reader whose share counts downloads to a link that is valid for an hour. A player that reads the content in ranges
       * follows the redirection once, and so counts once.
       */
      const redirectToTicket = (reader: ShareGrant, file: FileRef, action: LinkAction) =>
        Effect.map(shares.ticket(reader, file, action), (link) => {
          const location = `${PublicAddress.apiPathFrom(view.path)}${link.path}`
          return HttpServerResponse.empty({ status: 307, headers: { ...CommonHeaders.uncached, location } })
        })

      const send = (context: Request, reader: Reader, file: FileRef, action: LinkAction, disposition: Disposition) =>
        Effect.flatMap(downloads.open(reader, file, action), (download) =>
          ServeContent.sendContent(
            context,
            ContentOf.download(download, disposition, ContentOf.nameFor(reader), reader._tag === "Anonymous")
          )
        )

      const serve = (action: LinkAction, disposition: Disposition) =>
        ServeContent.serveContent((context: Request) => {
          const file = FileRefs.fromRoute(Context.get(context, HttpRouter.RouteContext).params)
          const { method } = Context.get(context, HttpServerRequest.HttpServerRequest)
          return Effect.flatMap(
            identify(context, file),
            (reader): Effect.Effect<HttpServerResponse.HttpServerResponse, ProblemResponse.CodedError, Scope.Scope> =>
              isCounted(reader) && method === "GET"
                ? redirectToTicket(reader, file, action)
                : send(context, reader, file, action, disposition)
          )
        })

      yield* router.add("GET", view.path, serve("view", "inline"))
      yield* router.add("GET", download.path, serve("download", "attachment"))
    })
  )
