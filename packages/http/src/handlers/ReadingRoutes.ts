/**
 * The API group `reading`: the contents of files.
 *
 * These routes get the most requests. The contract declares them like all others, but they are registered with the router
 * directly. For a small file, `HttpApiBuilder` would add a sixth to the time of a request: its layers, and the decoding of
 * parameters, which are plain texts here.
 */
import { Downloads } from "@holdfast/core/files/Downloads"
import type { LinkAction, Reader } from "@holdfast/core/files/links/Link"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as Layer from "effect/Layer"
import type * as ActorIdentification from "../auth/ActorIdentification.ts"
import * as ReaderIdentification from "../auth/ReaderIdentification.ts"
import { Api } from "../contract/Api.ts"
import type { Disposition } from "../transfer/response/ContentDisposition.ts"
import * as ServeContent from "../transfer/response/ServeContent.ts"
import * as ContentOf from "./support/ContentOf.ts"
import * as FileRefs from "./support/FileRefs.ts"

/** Returns the file name that a link states; undefined for an actor, and for a link without one. */
const nameOf = (reader: Reader): string | undefined =>
  reader._tag === "LinkGrant" ? (reader.name ?? undefined) : undefined

/** Registers the routes. `Downloads.open` checks the permission; no other part of the request has to be validated before. */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Downloads | ReaderIdentification.Services> =
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const identify = yield* ReaderIdentification.make
      const downloads = yield* Downloads

      const serve = (action: LinkAction, disposition: Disposition) =>
        ServeContent.serveContent((context: Context.Context<ActorIdentification.RequestServices>) => {
          const file = FileRefs.fromRoute(Context.get(context, HttpRouter.RouteContext).params)
          return Effect.flatMap(identify(context, file), (reader) =>
            Effect.flatMap(downloads.open(reader, file, action), (download) =>
              ServeContent.sendContent(
                context,
                ContentOf.download(download, disposition, nameOf(reader), reader._tag === "Anonymous")
              )
            )
          )
        })

      const { download, view } = Api.groups.reading.endpoints
      yield* router.add("GET", view.path, serve("view", "inline"))
      yield* router.add("GET", download.path, serve("download", "attachment"))
    })
  )
