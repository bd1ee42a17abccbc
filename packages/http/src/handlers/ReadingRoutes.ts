/**
 * Reading contents over HTTP: the routes that are asked for most. They are declared in the contract like all others,
 * but registered directly: decoding parameters that are texts anyway, and the layers of `HttpApiBuilder`, would cost a
 * small file a sixth of its time.
 */
import { Downloads, type Download } from "@holdfast/core/files/Downloads"
import type { FileRef } from "@holdfast/core/files/FileRef"
import type { Digest } from "effect/crypto/Digest"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as Layer from "effect/Layer"
import { Api } from "../contract/Api.ts"
import * as CommonHeaders from "../problems/CommonHeaders.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import { RequestId } from "../problems/RequestId.ts"
import type { Disposition } from "../transfer/ContentDisposition.ts"
import * as SendContent from "../transfer/SendContent.ts"
import * as Identification from "../auth/Identification.ts"

type Request = Identification.Request | HttpRouter.RouteContext

const describe = ({ content, file, localFile, read }: Download, disposition: Disposition): SendContent.Content => ({
  etag: content.etag,
  lastModified: DateTime.toEpochMillis(content.storedAt),
  contentType: content.contentType,
  size: content.size,
  headers: file.headers,
  name: file.name,
  disposition,
  localFile,
  read
})

const fileOf = ({
  bucketId = "",
  fileId = "",
  tenantId = ""
}: HttpRouter.RouteContext["Service"]["params"]): FileRef => ({
  tenantId,
  bucketId,
  fileId: fileId
})

/** The routes. The service asks who may read; there is nothing else of a request to be found wanting first. */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter | Downloads | Digest> = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const identify = yield* Identification.make
    const downloads = yield* Downloads

    const attempt = (disposition: Disposition) =>
      Effect.contextWith((context: Context.Context<Request>) =>
        Effect.flatMap(identify(context), (actor) =>
          Effect.flatMap(
            downloads.open(actor, fileOf(Context.get(context, HttpRouter.RouteContext).params)),
            (download) =>
              SendContent.send(
                Context.get(context, HttpServerRequest.HttpServerRequest),
                describe(download, disposition),
                CommonHeaders.of(Context.get(context, RequestId))
              )
          )
        )
      )

    const serve = (disposition: Disposition) => {
      const sent = attempt(disposition)
      return sent.pipe(
        // Replaced since its record was read. Bytes that are gone from under their record then too are lost: a defect.
        Effect.catchTag("ContentGone", () => Effect.catchTag(sent, "ContentGone", Effect.die)),
        Effect.catch((error) =>
          ProblemResponse.respond(error, "contentRange" in error ? { "content-range": error.contentRange } : undefined)
        )
      )
    }

    const { download, view } = Api.groups.reading.endpoints
    yield* router.add("GET", view.path, serve("inline"))
    yield* router.add("GET", download.path, serve("attachment"))
  })
)
