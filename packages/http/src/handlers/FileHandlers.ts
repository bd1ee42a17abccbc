/**
 * The API group `files`: records of files, without their contents.
 */
import { Files } from "@holdfast/core/files/Files"
import * as Links from "@holdfast/core/files/links/Links"
import { Moves } from "@holdfast/core/files/moves/Moves"
import { Uploads } from "@holdfast/core/files/Uploads"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "../contract/Api.ts"
import * as EntityTags from "../transfer/request/EntityTags.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"
import * as FileJson from "./support/FileJson.ts"
import * as FileRefs from "./support/FileRefs.ts"
import * as PublicAddress from "./support/PublicAddress.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "files",
  Effect.fnUntraced(function* (handlers) {
    const files = yield* Files
    const uploads = yield* Uploads
    const moves = yield* Moves
    const links = yield* Links.Links
    const apiUrl = yield* PublicAddress.makeApiUrl
    return handlers.handleAll({
      reserve: ({ params, payload }) =>
        Effect.flatMap(
          asActor((actor) => files.reserve(actor, params, payload)),
          (file) => CreatedResponse.withLocation(file, ...FileRefs.filesPath(params), file.id)
        ),
      list: ({ params, query }) =>
        Effect.flatMap(
          asActor((actor) => files.list(actor, params, query)),
          FileJson.respondWithPage
        ),
      exists: ({ params, query }) =>
        Effect.map(
          asActor((actor) => files.exists(actor, params, query)),
          (exists) => ({ exists })
        ),
      get: ({ params, query }) =>
        Effect.map(
          asActor((actor) => files.get(actor, FileRefs.fromParams(params), query.expands)),
          FileJson.respondWithFile
        ),
      update: ({ params, payload }) => asActor((actor) => files.update(actor, FileRefs.fromParams(params), payload)),
      signedUrl: ({ params, payload }) =>
        Effect.zipWith(
          asActor((actor) => links.create(actor, FileRefs.fromParams(params), payload)),
          apiUrl,
          (link, base) => ({ url: `${base}${link.path}`, expiresAt: link.expiresAt })
        ),
      move: ({ headers, params, payload }) =>
        asActor((actor) =>
          Effect.flatMap(EntityTags.precondition(headers), (condition) =>
            moves.move(actor, FileRefs.fromParams(params), payload, condition)
          )
        ),
      copy: ({ headers, params, payload }) =>
        Effect.flatMap(
          asActor((actor) =>
            Effect.flatMap(EntityTags.precondition(headers), (condition) =>
              uploads.copy(actor, FileRefs.fromParams(params), payload, condition)
            )
          ),
          (file) => {
            const { bucketId, tenantId } = params
            const bucket = { tenantId, bucketId: payload.toBucketId ?? bucketId }
            return CreatedResponse.withLocation(file, ...FileRefs.filesPath(bucket), file.id)
          }
        ),
      moveMany: ({ params, payload }) => asActor((actor) => moves.moveMany(actor, params, payload)),
      removeMany: ({ params, payload }) => asActor((actor) => moves.removeMany(actor, params, payload)),
      remove: ({ headers, params }) =>
        asActor((actor) =>
          Effect.flatMap(EntityTags.precondition(headers), (condition) =>
            files.remove(actor, FileRefs.fromParams(params), condition)
          )
        )
    })
  })
)
