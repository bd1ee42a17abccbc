/**
 * The API group `folders`.
 */
import type { BucketRef } from "@holdfast/core/buckets/BucketRef"
import { FolderJob } from "@holdfast/core/folders/FolderJob"
import { Folders } from "@holdfast/core/folders/Folders"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Schema from "effect/Schema"
import { Api } from "../contract/Api.ts"
import { asActor } from "./support/AsActor.ts"
import * as CreatedResponse from "./support/CreatedResponse.ts"

const encode = Schema.encodeSync(FolderJob)

/** Responds with what was done at once (200), or with a job and its path (202). */
const respond = (
  { bucketId, tenantId }: BucketRef,
  job: FolderJob
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (job.id === null) return Effect.succeed(HttpServerResponse.jsonUnsafe(encode(job)))
  const path = ["tenants", tenantId, "buckets", bucketId, "folders", "jobs", job.id]
  return Effect.map(CreatedResponse.locationOf(path), (location) =>
    HttpServerResponse.jsonUnsafe(encode(job), { status: 202, headers: { location } })
  )
}

export const layer = HttpApiBuilder.group(
  Api,
  "folders",
  Effect.fnUntraced(function* (handlers) {
    const folders = yield* Folders
    return handlers.handleAll({
      move: ({ params, payload }) =>
        Effect.flatMap(
          asActor((actor) => folders.move(actor, params, payload)),
          (job) => respond(params, job)
        ),
      remove: ({ params, payload }) =>
        Effect.flatMap(
          asActor((actor) => folders.remove(actor, params, payload)),
          (job) => respond(params, job)
        ),
      job: ({ params }) => asActor((actor) => folders.job(actor, params)),
      cancel: ({ params }) => asActor((actor) => folders.cancel(actor, params))
    })
  })
)
