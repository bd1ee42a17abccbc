/**
 * Reading contents over HTTP.
 */
import { Downloads, type Download } from "@holdfast/core/files/Downloads"
import type { FileRef } from "@holdfast/core/files/FileRef"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as CommonHeaders from "../problems/CommonHeaders.ts"
import * as ProblemResponse from "../problems/ProblemResponse.ts"
import { RequestId } from "../problems/RequestId.ts"
import type { Disposition } from "../transfer/ContentDisposition.ts"
import * as SendContent from "../transfer/SendContent.ts"
import { asActor } from "./AsActor.ts"

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

/** Answers with a file's content, to be shown or to be saved. */
export const make = Effect.map(
  Downloads,
  (downloads) => (request: HttpServerRequest.HttpServerRequest, file: FileRef, disposition: Disposition) =>
    asActor((actor) => {
      const send = Effect.flatMap(RequestId, (requestId) =>
        Effect.flatMap(downloads.open(actor, file), (download) =>
          SendContent.send(request, describe(download, disposition), CommonHeaders.of(requestId))
        )
      )
      return send.pipe(
        // Replaced since its record was read. Bytes that are gone from under their record as well are lost: a defect.
        Effect.catchTag("ContentGone", () => Effect.catchTag(send, "ContentGone", Effect.die)),
        Effect.catchTag("RangeNotSatisfiable", (error) =>
          ProblemResponse.respond(error, { "content-range": error.contentRange })
        )
      )
    })
)
