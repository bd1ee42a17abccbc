/**
 * The mirrors of a bucket.
 */
import * as Mirror from "@holdfast/core/mirrors/Mirror"
import * as MirrorInput from "@holdfast/core/mirrors/MirrorInput"
import { inputNames } from "@holdfast/core/mirrors/targets/types/TargetTypes"
import * as Page from "@holdfast/core/Page"
import * as Effect from "effect/Effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { Authentication } from "./Authentication.ts"
import { JsonResponse, JsonRequest } from "./JsonMiddleware.ts"
import { created, describe, Flag, page, problems } from "./Operation.ts"

const bucket = { tenantId: Schema.String, bucketId: Schema.String }
const params = { ...bucket, mirrorId: Schema.String }
const permission = "mirror:manage"

/** Overrides the field `verify` of the body. */
const verify = {
  verify: Schema.optional(Flag).annotate({
    description: "Whether the target is checked before the mirror is stored. True when absent. Overrides the body."
  })
}

const types = inputNames.join(", ")

/** An unknown type is a fault of the field `type`. Otherwise it would be a fault of the whole body, which no type accepts. */
const Payload = MirrorInput.CreateMirror.pipe(
  Schema.catchDecoding((issue) =>
    Effect.fail(
      issue._tag === "AnyOf" && issue.issues.length === 0
        ? new SchemaIssue.Pointer(["type"], new SchemaIssue.InvalidValue({ message: `must be one of ${types}` }))
        : issue
    )
  )
)

const create = HttpApiEndpoint.post("create", "/", {
  params: bucket,
  query: verify,
  disableCodecs: true,
  payload: Payload,
  success: created(Mirror.Mirror),
  error: problems(
    "invalid_request",
    "quota_exceeded",
    "not_found",
    "mirror_loop",
    "mirror_type_unavailable",
    "mirror_target_unreachable"
  )
}).annotateMerge(
  describe({
    summary: "Create a mirror of the bucket",
    description:
      "Copies every file of the bucket to the target, and then every change. Secrets are encrypted at rest and never " +
      "returned. `S3`, `AZURE_BLOB` and `GCS` are other names of `CLOUD_A`, `CLOUD_B` and `CLOUD_C`. For `SERVICE`, " +
      "`apiKey` in the body is a key of the target tenant; the key of the request itself is sent as always.",
    permission
  })
)

const update = HttpApiEndpoint.patch("update", "/:mirrorId", {
  params,
  query: verify,
  disableCodecs: true,
  payload: MirrorInput.UpdateMirror,
  success: Mirror.Mirror,
  error: problems("invalid_request", "not_found", "mirror_type_unavailable", "mirror_target_unreachable")
}).annotateMerge(
  describe({
    summary: "Rename, pause or resume a mirror, or change its credentials",
    description: "New credentials, and resuming, retry failed copies at once.",
    permission
  })
)

const sync = HttpApiEndpoint.post("sync", "/:mirrorId/sync", {
  params,
  success: Mirror.Mirror.pipe(HttpApiSchema.status(202)),
  error: problems("not_found")
}).annotateMerge(
  describe({
    summary: "Compare the target with the bucket",
    description:
      "Requests a reconciliation, which runs in the background: what is missing or different at the target is copied " +
      "again. Objects that the mirror did not write are not changed.",
    permission
  })
)

const list = HttpApiEndpoint.get("list", "/", {
  params: bucket,
  query: page,
  success: Page.of(Mirror.Mirror),
  error: problems("invalid_request", "invalid_cursor", "not_found")
}).annotateMerge(describe({ summary: "List the mirrors of the bucket", permission }))

const get = HttpApiEndpoint.get("get", "/:mirrorId", {
  params,
  success: Mirror.Mirror,
  error: problems("not_found")
}).annotateMerge(
  describe({ summary: "Get a mirror, with the number of files that are still to be copied", permission })
)

const files = HttpApiEndpoint.get("files", "/:mirrorId/files", {
  params,
  query: {
    state: Schema.optional(Mirror.MirrorFileState).annotate({ description: "Lists only files in this state." }),
    ...page
  },
  success: Page.of(Mirror.MirrorFile),
  error: problems("invalid_request", "invalid_cursor", "not_found")
}).annotateMerge(describe({ summary: "List the files of a mirror with the state of each copy", permission }))

const remove = HttpApiEndpoint.delete("remove", "/:mirrorId", {
  params,
  success: HttpApiSchema.NoContent,
  error: problems("not_found")
}).annotateMerge(describe({ summary: "Remove a mirror", description: "The copies stay at the target.", permission }))

export class MirrorsApi extends HttpApiGroup.make("mirrors")
  .add(create, update)
  .middleware(JsonRequest)
  .add(list, get, files, sync)
  .middleware(JsonResponse)
  .add(remove)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/mirrors")
  .annotate(OpenApi.Description, "Copies of a bucket at other places, which follow its changes.") {}
