/**
 * Folders: they exist by the paths of their files. Moving or removing one concerns all of its files.
 */
import * as FolderJob from "@holdfast/core/folders/FolderJob"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Authentication } from "../Authentication.ts"
import { JsonRequest, JsonResponse } from "../JsonMiddleware.ts"
import { describe, location, problems } from "../Operation.ts"

const bucket = { tenantId: Schema.String, bucketId: Schema.String }

/** What was done at once, or a job that runs. */
const started = [
  FolderJob.FolderJob,
  HttpApiSchema.WithHeaders(FolderJob.FolderJob.pipe(HttpApiSchema.status(202)), location)
] as const

const aboutJobs =
  "A folder with at most 500 files is changed as a whole, or not at all. For a larger one the answer is `202` with a job, whose progress " +
  "`Location` reports. A job leaves files that were stored or changed after the request, and ends when the key that requested it may not change " +
  "the files any more."

const move = HttpApiEndpoint.post("move", "/move", {
  params: bucket,
  disableCodecs: true,
  payload: FolderJob.MoveFolder,
  success: started,
  error: problems("invalid_request", "not_found", "file_exists", "quota_exceeded")
}).annotateMerge(
  describe({
    summary: "Move a folder",
    description:
      `Moves the files of the folder, and of the folders below it. ${aboutJobs} It stops at a file that it cannot move, with the state ` +
      "`FAILED`; request the move again with another `onConflict` to continue.",
    permission: "file:write"
  })
)

const remove = HttpApiEndpoint.post("remove", "/delete", {
  params: bucket,
  disableCodecs: true,
  payload: FolderJob.RemoveFolder,
  success: started,
  error: problems("invalid_request", "not_found", "quota_exceeded", "change_refused", "hook_failed")
}).annotateMerge(
  describe({
    summary: "Remove a folder permanently",
    description: `Removes the files of the folder, and of the folders below it. ${aboutJobs}`,
    permission: "file:write"
  })
)

const job = HttpApiEndpoint.get("job", "/jobs/:jobId", {
  params: { ...bucket, jobId: Schema.String },
  success: FolderJob.FolderJob,
  error: problems("not_found")
}).annotateMerge(
  describe({
    summary: "Get the progress of a folder job",
    description: "The service keeps the latest 100 finished jobs of a bucket.",
    permission: "file:read"
  })
)

const cancel = HttpApiEndpoint.post("cancel", "/jobs/:jobId/cancel", {
  params: { ...bucket, jobId: Schema.String },
  success: FolderJob.FolderJob,
  error: problems("not_found")
}).annotateMerge(
  describe({
    summary: "Cancel a folder job",
    description:
      "Stops a running job and returns it. What it has moved or removed stays so, and all other files stay where they are. A job that " +
      "has ended is returned unchanged.",
    permission: "file:write"
  })
)

export class FoldersApi extends HttpApiGroup.make("folders")
  .add(move, remove)
  .middleware(JsonRequest)
  .add(job, cancel)
  .middleware(JsonResponse)
  .middleware(Authentication)
  .prefix("/tenants/:tenantId/buckets/:bucketId/folders")
  .annotate(OpenApi.Description, "Moves and removals of whole folders.") {}
